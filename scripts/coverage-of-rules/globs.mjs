// Regular expressions about names of files as patterns: those of which a pattern, or several, say the same.

const ATOMS = [
  [/^\.\*/, () => ['*']],
  [/^\[\^\\?\/\]\+/, () => ['?*']],
  [/^\\(.)/, ([, character]) => [character]],
  [/^\[[^\]^]*\]/, ([set]) => [...set.slice(1, -1).replaceAll('\\', '')]],
  [/^\./, () => ['?']],
  [/^[\w~-]/, ([character]) => [character]],
]

/** The patterns; undefined without any. What has no anchor goes on. */
export function globsOf(expression) {
  const body = expression.replace(/^\^/, '').replace(/\$$/, '')
  const parsed = alternatives(body)
  if (parsed === undefined || parsed.rest !== '') return undefined
  const [start, end] = [expression.startsWith('^') ? '' : '*', expression.endsWith('$') ? '' : '*']
  return [...new Set(parsed.texts.map((text) => `${start}${text}${end}`.replaceAll(/\*+/g, '*')))]
}

function alternatives(text) {
  const texts = []
  for (let rest = text; ; rest = rest.slice(1)) {
    const parsed = sequence(rest)
    if (parsed === undefined) return undefined
    texts.push(...parsed.texts)
    rest = parsed.rest
    if (!rest.startsWith('|')) return { texts, rest }
  }
}

function sequence(text) {
  let texts = ['']
  let rest = text
  while (rest !== '' && !/^[|)]/.test(rest)) {
    const parsed = item(rest)
    if (parsed === undefined) return undefined
    const isOptional = parsed.rest.startsWith('?')
    const choices = isOptional ? ['', ...parsed.texts] : parsed.texts
    texts = texts.flatMap((before) => choices.map((choice) => before + choice))
    rest = isOptional ? parsed.rest.slice(1) : parsed.rest
  }
  return { texts, rest }
}

function item(text) {
  if (text.startsWith('(')) {
    const parsed = alternatives(text.slice(1))
    return parsed?.rest.startsWith(')') ? { ...parsed, rest: parsed.rest.slice(1) } : undefined
  }
  for (const [expression, textsOf] of ATOMS) {
    const match = expression.exec(text)
    if (match !== null) return { texts: textsOf(match), rest: text.slice(match[0].length) }
  }
  return undefined
}
