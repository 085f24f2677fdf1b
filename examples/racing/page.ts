// Draws the race with three.js: one box for each car, wherever the SDK shows it.
import { Client, type Entity } from "@paceline/client";
import * as three from "three";
import { Car, RacingGame, TRACK_RADIUS_M } from "./game.js";

const client = new Client(location.origin, { profile: "racing" });
const room = await client.joinOrCreate("race");
const game = new RacingGame(room);

const scene = new three.Scene();
scene.background = new three.Color("#9ecbe8");
scene.add(new three.HemisphereLight("#ffffff", "#557755", 3));
const grass = new three.Mesh(
  new three.CircleGeometry(200, 64),
  new three.MeshLambertMaterial({ color: "#6fa35a" }),
);
const road = new three.Mesh(
  new three.RingGeometry(TRACK_RADIUS_M - 8, TRACK_RADIUS_M + 18, 96),
  new three.MeshLambertMaterial({ color: "#555a60" }),
);
road.position.z = 0.02;
scene.add(grass, road);

const camera = new three.PerspectiveCamera(60, 1, 0.1, 500);
camera.up.set(0, 0, 1);
const renderer = new three.WebGLRenderer({ antialias: true });
document.body.append(renderer.domElement);
const resize = (): void => {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
};
addEventListener("resize", resize);
resize();

const boxes = new Map<Entity<typeof Car>, three.Mesh>();
room.onSpawn(Car, (car) => {
  const color = new three.Color().setHSL((car.id * 0.37) % 1, 0.8, 0.5);
  const box = new three.Mesh(new three.BoxGeometry(4, 2, 1.2), new three.MeshLambertMaterial({ color }));
  scene.add(box);
  boxes.set(car, box);
});
room.onDespawn(Car, (car) => {
  boxes.get(car)?.removeFromParent();
  boxes.delete(car);
});

const keys = new Set<string>();
addEventListener("keydown", ({ key }) => {
  keys.add(key);
  if (key === " ") game.mine.isReady = true;
});
addEventListener("keyup", ({ key }) => keys.delete(key));

const status = document.querySelector("#status")!;
renderer.setAnimationLoop(() => {
  game.wheel.steer = Number(keys.has("ArrowLeft")) - Number(keys.has("ArrowRight"));
  game.wheel.throttle = Number(keys.has("ArrowUp"));
  for (const [car, box] of boxes) {
    const { position, heading } = car.shown;
    box.position.set(position.x, position.y, 0.6);
    box.rotation.z = heading;
  }
  const { position, heading } = game.mine;
  camera.position.set(position.x - 14 * Math.cos(heading), position.y - 14 * Math.sin(heading), 7);
  camera.lookAt(position.x, position.y, 1);
  const words = {
    waiting: "press space when you are ready",
    running: "go!",
    over: `${game.race.winner} wins`,
  };
  status.textContent = `${boxes.size} players, ${words[game.race.phase]}`;
  renderer.render(scene, camera);
});
