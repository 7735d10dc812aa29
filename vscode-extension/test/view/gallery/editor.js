/* global document, window, location, setTimeout, URLSearchParams, themes, scenes, replies */
// Stands in for the editor: the theme's variables, and an extension that answers from the scene.
// frame.html?scene=answer&theme=dark

const wanted = new URLSearchParams(location.search);
const theme = themes[wanted.get('theme') ?? 'dark'];
const scene = scenes[wanted.get('scene') ?? 'answer'];

for (const [name, value] of Object.entries(theme.variables)) document.documentElement.style.setProperty(name, value);
document.body.className = theme.body;

const tell = (message, afterMs = 0) => setTimeout(() => window.postMessage(message, '*'), afterMs);

window.acquireVsCodeApi = () => ({
  getState: () => scene.kept,
  setState: () => undefined,
  postMessage: (message) => {
    if (message.type === 'ready') scene.messages.forEach(([told, afterMs]) => tell(told, afterMs));
    for (const [told, afterMs] of replies[message.type]?.(message) ?? []) tell(told, afterMs);
  },
});

if (scene.open !== undefined) setTimeout(() => document.querySelector(scene.open)?.click(), 300);
