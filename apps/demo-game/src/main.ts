import "./ui/style.css";
import { App } from "./game/app.js";

const root = document.getElementById("app");
if (root === null) throw new Error("the page has no element #app");
new App(root).run();
