// What is defined where in a file of JavaScript or TypeScript, as TypeScript's own parser reads it.
//
// A request is a line of JSON, {path, text}; its answer is one: {definitions: [[chain, first, last]…], code: [line…]}, or null
// for a text with syntax errors. A chain has [name, kind] for each definition around and itself, outermost first: a `class` (or an interface, a
// namespace, an enumeration), a `function`, an `object` that something is called, a `test`, any other `value`, and
// `unnamed` for a class or an object that nothing is called. Lines are 1-based and inclusive; `code` are those on which
// something begins or ends that is no comment. The argument is the folder of the module `typescript`.
'use strict';

const readline = require('node:readline');
const ts = require(process.argv[2]);

const KINDS = { '.js': ts.ScriptKind.JS, '.mjs': ts.ScriptKind.JS, '.cjs': ts.ScriptKind.JS, '.jsx': ts.ScriptKind.JSX };
const TESTS = new Set([
  ...['describe', 'context', 'suite', 'feature', 'fdescribe', 'xdescribe'],
  ...['it', 'test', 'specify', 'scenario', 'fit', 'xit'],
]);
const TYPED = { '.tsx': ts.ScriptKind.TSX };

function outlined(path, text) {
  const ending = path.slice(path.lastIndexOf('.'));
  const kind = KINDS[ending] ?? TYPED[ending] ?? ts.ScriptKind.TS;
  const file = ts.createSourceFile(path, text, { languageVersion: ts.ScriptTarget.Latest }, true, kind);
  if (file.parseDiagnostics.length > 0) return null;
  const found = [];
  const code = new Set();
  const line = (offset) => file.getLineAndCharacterOfPosition(offset).line + 1;

  function visit(node, around) {
    if (node !== file) code.add(line(node.getStart(file))).add(line(node.end));
    const names = namesOf(node);
    let inside = around;
    if (names !== null) {
      const kind = kindOf(node);
      inside = [...around, ...names.map((name) => [name, kind])];
      const definition = whole(node);
      found.push([inside, line(definition.getStart(file)), line(definition.end)]);
    } else if (isUnnamed(node)) {
      inside = [...around, ['', 'unnamed']];
    }
    // A decorator stands outside of what it decorates, and another name of one value beside it.
    ts.forEachChild(node, (child) => visit(child, ts.isDecorator(child) || isSecond(child) ? around : inside));
  }

  visit(file, []);
  return { definitions: found, code: [...code] };
}

// The names that a node gives what is in it, or null where it gives none.
function namesOf(node) {
  if (ts.isConstructorDeclaration(node)) return ['constructor'];
  if (ts.isModuleDeclaration(node)) return [nameIn(node.name)];
  if (ts.isVariableDeclaration(node)) return ts.isIdentifier(node.name) ? [node.name.text] : null;
  if (ts.isBinaryExpression(node)) {
    return node.operatorToken.kind === ts.SyntaxKind.EqualsToken ? written(node.left) : null;
  }
  if (ts.isCallExpression(node)) return called(node);
  const isOne =
    ts.isFunctionLike(node) || ts.isClassLike(node) || ts.isInterfaceDeclaration(node) || ts.isEnumMember(node) ||
    ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node) || ts.isPropertyDeclaration(node) ||
    ts.isPropertySignature(node) || ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node);
  if (!isOne || node.name === undefined) return null;
  // A function or a class that a name holds is called like that, and its own name is known in it alone.
  if ((ts.isFunctionExpression(node) || ts.isClassExpression(node)) && held(node)) return null;
  return [ts.isComputedPropertyName(node.name) ? node.name.getText() : nameIn(node.name)];
}

// A name without its quotes, unless it has a dot, which would look like two names.
function nameIn(node) {
  return node.text === undefined || node.text.includes('.') ? node.getText() : node.text;
}

// The names of a test or a suite, which are a text, and those that `defineProperty(owner, 'name', …)` defines.
function called(node) {
  const [first, second] = node.arguments;
  if (first === undefined) return null;
  if (isTest(node)) return ts.isStringLiteralLike(first) || ts.isTemplateExpression(first) ? textOf(first) : null;
  const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression;
  const owner = /^(__)?define/.test(callee.text ?? '') ? written(first) : null;
  return owner !== null && second !== undefined && ts.isStringLiteralLike(second) ? [...owner, second.text] : null;
}

// A text as it is written, on one line; null for an empty one.
function textOf(node) {
  const text = node.getText().slice(1, -1);
  const name = text.replace(/\\(['"`\\])/g, '$1').trim().replace(/\s+/g, ' ');
  return name === '' ? null : [name];
}

// The names of the left side of an assignment, or null: `a.b.c` and `a['b']`.
function written(node) {
  if (ts.isIdentifier(node)) return [node.text];
  if (node.kind === ts.SyntaxKind.ThisKeyword) return [];
  if (ts.isNonNullExpression(node)) return written(node.expression);
  const before = ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node) ? written(node.expression) : null;
  if (before === null) return null;
  // What a prototype has is what the class has.
  if (ts.isPropertyAccessExpression(node)) return node.name.text === 'prototype' ? before : [...before, node.name.text];
  return ts.isStringLiteralLike(node.argumentExpression) ? [...before, node.argumentExpression.text] : null;
}

function held(node) {
  let inner = node;
  while (ts.isParenthesizedExpression(inner.parent) || ts.isParenthesizedTypeNode(inner.parent) || ts.isAsExpression(inner.parent) || ts.isSatisfiesExpression(inner.parent)) {
    inner = inner.parent;
  }
  if (ts.isTypeLiteralNode(node)) {
    while (ts.isUnionTypeNode(inner.parent) || ts.isIntersectionTypeNode(inner.parent) || ts.isArrayTypeNode(inner.parent)) {
      inner = inner.parent;
    }
  }
  const holder = inner.parent;
  return (
    ((ts.isTypeAliasDeclaration(holder) || ts.isPropertySignature(holder) || ts.isPropertyDeclaration(holder)) &&
      holder.type === inner) ||
    ((ts.isVariableDeclaration(holder) || ts.isPropertyAssignment(holder) || ts.isPropertyDeclaration(holder)) &&
      holder.initializer === inner) ||
    (ts.isBinaryExpression(holder) && holder.operatorToken.kind === ts.SyntaxKind.EqualsToken && holder.right === inner)
  );
}

function isSecond(node) {
  return ts.isBinaryExpression(node) && ts.isBinaryExpression(node.parent) && node.parent.right === node;
}

function isUnnamed(node) {
  return (ts.isObjectLiteralExpression(node) || ts.isClassExpression(node) || ts.isTypeLiteralNode(node)) && !held(node);
}

function kindOf(node) {
  if (ts.isModuleDeclaration(node)) return node.name.getText() === 'global' ? 'value' : 'class';
  if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node)) return 'class';
  if (ts.isEnumDeclaration(node) || ts.isTypeAliasDeclaration(node)) return 'class';
  // A function that is a value of a call or a list is known by its name in itself alone.
  if (ts.isFunctionLike(node)) return ts.isFunctionExpression(node) ? 'value' : 'function';
  if (ts.isCallExpression(node)) return isTest(node) ? 'test' : 'value';
  if (ts.isBinaryExpression(node) && ts.isElementAccessExpression(node.left)) return 'value';
  const value = unwrapped(node.initializer ?? node.right);
  if (value === undefined) return 'value';
  if (ts.isClassLike(value)) return 'class';
  if (ts.isFunctionLike(value)) return 'function';
  return ts.isObjectLiteralExpression(value) ? 'object' : 'value';
}

// What a value is without brackets and types.
function unwrapped(node) {
  let inner = node;
  while (inner && (ts.isParenthesizedExpression(inner) || ts.isAsExpression(inner) || ts.isSatisfiesExpression(inner))) {
    inner = inner.expression;
  }
  return inner;
}

// `it('…')`, `describe.skip('…')` and `test.each(table)('…')`.
function isTest(node) {
  let callee = node.expression;
  if (ts.isCallExpression(callee)) callee = callee.expression;
  if (ts.isTaggedTemplateExpression(callee)) callee = callee.tag;
  const words = callee.getText().split('.');
  return TESTS.has(words[0].trim()) && words.slice(1).every((word) => TESTS.has(word) || !/^(add|on|run)$/.test(word));
}

// The statement or the declaration of a value, which begins at its `const` or `export`.
function whole(node) {
  const list = node.parent;
  if (ts.isVariableDeclaration(node) && ts.isVariableDeclarationList(list) && list.declarations.length === 1) {
    return ts.isVariableStatement(list.parent) ? list.parent : list;
  }
  return node;
}

readline.createInterface({ input: process.stdin, terminal: false }).on('line', (request) => {
  const { path, text } = JSON.parse(request);
  process.stdout.write(`${JSON.stringify(outlined(path, text))}\n`);
});
