import "./ui/style.css";
import { App } from "./game/app.js";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no element #app");
if (document.createElement("canvas").getContext("2d")) new App(root).run();
else {
  const sentence = document.createElement("p");
  sentence.className = "no-canvas";
  sentence.textContent =
    "This browser gives the page no canvas to draw on, so there is no race to see. Allow canvas for this page, or take " +
    "another browser.";
  root.append(sentence);
}
