/** Address of the script that shows the errors of the game's file on a page. */
export const OVERLAY_PATH = "/@paceline/overlay.js";

/** Script that shows the newest error of the game over the page, until a good save, a click or Escape. */
export const OVERLAY_SCRIPT = `
let box;
new EventSource("/@paceline/events").onmessage = ({ data }) => {
  const { error } = JSON.parse(data);
  box?.remove();
  if (!error) return;
  box = document.createElement("pre");
  box.id = "paceline-error";
  box.style.cssText = "position:fixed;inset:0;z-index:99999;margin:0;padding:2rem;overflow:auto;white-space:pre-wrap;"
    + "background:#200e;color:#fbb;font:15px/1.5 monospace";
  box.textContent = "The game's code has an error. The server runs on; save the file again. "
    + "A click or Escape hides this.\\n\\n" + error;
  box.onclick = () => box.remove();
  document.body.append(box);
};
addEventListener("keydown", ({ key }) => key === "Escape" && box?.remove());
`;
