// The small changes of a source file that some test should notice, from its syntax tree.
import ts from 'typescript'

/** @typedef {{ start: number, end: number, form: 'expression' | 'statement' | 'body', replacement: string }} Change */

const { SyntaxKind: Kind } = ts

/** What each binary operator becomes. */
const OPERATORS = new Map([
  [Kind.EqualsEqualsEqualsToken, ['!==']],
  [Kind.ExclamationEqualsEqualsToken, ['===']],
  [Kind.LessThanToken, ['<=', '>=']],
  [Kind.LessThanEqualsToken, ['<', '>']],
  [Kind.GreaterThanToken, ['>=', '<=']],
  [Kind.GreaterThanEqualsToken, ['>', '<']],
  [Kind.PlusToken, ['-']],
  [Kind.MinusToken, ['+']],
  [Kind.AsteriskToken, ['/']],
  [Kind.SlashToken, ['*']],
  [Kind.PercentToken, ['*']],
  [Kind.PlusEqualsToken, ['-=']],
  [Kind.MinusEqualsToken, ['+=']],
])

const CHOOSING = new Set([Kind.AmpersandAmpersandToken, Kind.BarBarToken, Kind.QuestionQuestionToken])

/** What each method becomes; nothing: the call gives what it was called on. */
const METHODS = new Map([
  ...[
    'filter',
    'slice',
    'toSorted',
    'toReversed',
    'trim',
    'trimEnd',
    'trimStart',
    'toLowerCase',
    'padStart',
    'flat',
  ].map((name) => [name, '']),
  ['some', 'every'],
  ['every', 'some'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
  ['min', 'max'],
  ['max', 'min'],
  ['floor', 'ceil'],
])

/** Every change of a file, in the order of the places. @returns {Change[]} */
export function changesOf(source) {
  const changes = []
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node)) return
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isHeritageClause(node)) return
    for (const change of changesAt(node, source)) {
      const { target = node, form = 'expression', replacement } = change
      const [start, end] = [target.getStart(source), target.getEnd()]
      if (source.text.slice(start, end) !== replacement) changes.push({ start, end, form, replacement })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return changes
}

function changesAt(node, source) {
  return [...changesOfStatement(node), ...(ts.isExpression(node) ? changesOfExpression(node, source) : [])]
}

function* changesOfStatement(node) {
  if (ts.isIfStatement(node)) yield* bothWays(node.expression)
  if (ts.isWhileStatement(node) || ts.isDoStatement(node)) yield { target: node.expression, replacement: 'false' }
  if (ts.isForStatement(node) && node.condition !== undefined) yield { target: node.condition, replacement: 'false' }
  if (ts.isForOfStatement(node)) yield { target: node.expression, replacement: '[]' }
  if (ts.isExpressionStatement(node)) yield { form: 'statement', replacement: '' }
  if (ts.isFunctionLike(node) && !ts.isConstructorDeclaration(node) && node.body !== undefined) {
    if (!ts.isBlock(node.body)) yield { target: node.body, replacement: 'undefined' }
    else if (node.body.statements.length > 0) yield { target: node.body, form: 'body', replacement: '' }
  }
}

function* changesOfExpression(node, source) {
  if (ts.isConditionalExpression(node)) yield* bothWays(node.condition)
  else if (ts.isBinaryExpression(node)) yield* changesOfOperator(node, source)
  else if (ts.isPrefixUnaryExpression(node)) yield* changesOfPrefix(node, source)
  else if (node.kind === Kind.TrueKeyword) yield { replacement: 'false' }
  else if (node.kind === Kind.FalseKeyword) yield { replacement: 'true' }
  else if (ts.isNumericLiteral(node)) yield changeOfNumber(node.getText(source))
  else if (ts.isArrayLiteralExpression(node)) yield* emptied(node, node.elements, '[]')
  else if (ts.isObjectLiteralExpression(node)) yield* emptied(node, node.properties.filter(isShown), '{}')
  else if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) yield* changesOfText(node)
  else if (ts.isRegularExpressionLiteral(node)) yield* changesOfPattern(node, source)
  else if (ts.isOptionalChain(node) && !isInChain(node)) yield* withoutQuestions(node, source)
  else if (ts.isCallExpression(node)) yield* changesOfCall(node, source)
}

function* bothWays(condition) {
  yield { target: condition, replacement: 'true' }
  yield { target: condition, replacement: 'false' }
}

/** Of a limit or a scale, which is some round number, it matters that it is there. */
function changeOfNumber(text) {
  return { replacement: /^\d[\d_]{3,}$/.test(text) ? '0' : `${text} + 1` }
}

/** What caused an error is for those who debug. */
function isShown(property) {
  return property.name?.getText() !== 'cause'
}

function* emptied(node, parts, replacement) {
  if (parts.length > 0 && !isAssignedTo(node)) yield { replacement }
}

/** A pattern on the left side looks like a literal. */
function isAssignedTo(node) {
  return ts.isBinaryExpression(node.parent) && node.parent.left === node
}

function* changesOfOperator(node, source) {
  const [left, right] = [node.left.getText(source), node.right.getText(source)]
  const { kind } = node.operatorToken
  for (const operator of OPERATORS.get(kind) ?? []) yield { replacement: `${left} ${operator} ${right}` }
  if (CHOOSING.has(kind)) {
    yield { replacement: left }
    yield { replacement: right }
  }
}

function* changesOfPrefix(node, source) {
  const operand = node.operand.getText(source)
  if (node.operator === Kind.ExclamationToken || node.operator === Kind.MinusToken) yield { replacement: operand }
  if (node.operator === Kind.PlusPlusToken) yield { replacement: `--${operand}` }
  if (node.operator === Kind.MinusMinusToken) yield { replacement: `++${operand}` }
}

function* changesOfText(node) {
  const { parent } = node
  const isName = parent.name === node || ts.isTaggedTemplateExpression(parent)
  const isModule = ts.isCallExpression(parent) && parent.expression.kind === Kind.ImportKeyword
  if (!isName && !isModule) yield { replacement: ts.isStringLiteralLike(node) && node.text === '' ? "'?'" : "''" }
}

function* changesOfPattern(node, source) {
  const text = node.getText(source)
  if (text.startsWith('/^')) yield { replacement: `/${text.slice(2)}` }
  if (/[^\\]\$\/[a-z]*$/.test(text)) yield { replacement: text.replace(/\$(\/[a-z]*)$/, '$1') }
  if (/\/[a-z]*i[a-z]*$/.test(text)) yield { replacement: text.replace(/i([a-z]*)$/, '$1') }
}

/** Whether a larger chain goes on behind this part of it. */
function isInChain(node) {
  const { parent } = node
  return ts.isOptionalChain(parent) && parent.expression === node
}

function* withoutQuestions(node, source) {
  const start = node.getStart(source)
  for (let part = node; ts.isOptionalChain(part); part = part.expression) {
    const question = part.questionDotToken
    if (question === undefined) continue
    const at = question.getStart(source) - start
    const text = node.getText(source)
    const dot = ts.isPropertyAccessExpression(part) ? '.' : ''
    yield { replacement: text.slice(0, at) + dot + text.slice(at + 2) }
  }
}

function* changesOfCall(node, source) {
  const { expression } = node
  if (!ts.isPropertyAccessExpression(expression) || ts.isOptionalChain(node)) return
  const other = METHODS.get(expression.name.text)
  if (other === undefined) return
  const receiver = expression.expression.getText(source)
  const behind = source.text.slice(expression.name.getEnd(), node.getEnd())
  yield { replacement: other === '' ? receiver : `${receiver}.${other}${behind}` }
}
