/** The page of a webview: an empty frame that may run one script and one style sheet, both of this extension. Pure. */

export interface PageSources {
  readonly title: string;
  readonly script: string;
  readonly style: string;
  /** What the editor calls the origin of its own webview resources. */
  readonly cspSource: string;
  /** Fresh for every page. */
  readonly nonce: string;
  /** Which of the pages of one tab this is; its script says it in every message. */
  readonly page?: string;
  /** The script is a module of JavaScript. */
  readonly isModule?: boolean;
}

export function pageHtml({ title, script, style, cspSource, nonce, page, isModule = false }: PageSources): string {
  const policy = [
    `default-src 'none'`,
    `style-src ${cspSource}`,
    `script-src 'nonce-${nonce}'`,
    `base-uri 'none'`,
    `form-action 'none'`,
  ];
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${attribute(policy.join('; '))}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${attribute(title)}</title>
<link rel="stylesheet" href="${attribute(style)}">
</head>
<body>
<div id="page"${page === undefined ? '' : ` data-page="${attribute(page)}"`}></div>
<div id="live" role="status" aria-live="polite"></div>
<script${isModule ? ' type="module"' : ''} nonce="${attribute(nonce)}" src="${attribute(script)}"></script>
</body>
</html>
`;
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
