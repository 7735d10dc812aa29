/* global document, Option, themes, scenes */
// Every scene side by side, in the theme and at the width chosen above.

const form = document.querySelector('form');
for (const name of Object.keys(themes)) form.theme.append(new Option(name, name));

function draw() {
  document.querySelector('main').replaceChildren(
    ...Object.keys(scenes).map((scene) => {
      const section = document.createElement('section');
      const title = document.createElement('h2');
      const frame = document.createElement('iframe');
      title.textContent = scene;
      frame.title = scene;
      frame.width = form.width.value;
      frame.src = `frame.html?scene=${scene}&theme=${form.theme.value}`;
      section.append(title, frame);
      return section;
    }),
  );
}

form.addEventListener('change', draw);
draw();
