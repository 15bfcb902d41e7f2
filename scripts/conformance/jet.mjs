import { differenceInError, differenceInText } from './expected-error.mjs'
import { decodeTagged } from './tagged.mjs'

/** Jet templates: what they render, how they fail, how they are cut into tokens and printed again. */
export const jet = {
  name: 'jet',
  entry: 'src/templates/jet/index.ts',
  async run({ jet: module, govalue }, recorded) {
    const options = optionsOf(recorded, govalue)
    switch (recorded.kind) {
      case 'tokens':
        return differenceInText(recorded.expect.join(' '), tokenNames(module, recorded))
      case 'print':
        return differenceInText(recorded.expect, module.printTemplate(module.parseJet(recorded.template, options)))
      case 'error':
        return differenceInError(recorded.error, () => module.renderJet(recorded.template, options))
      default:
        return differenceInText(recorded.expect, module.renderJet(recorded.template, options))
    }
  },
}

function optionsOf({ name, delims, commentDelims, vars = {}, context, escape, files = {} }, govalue) {
  return {
    ...(name !== undefined && { name }),
    ...(delims !== undefined && { delimiters: delims }),
    ...(commentDelims !== undefined && { commentDelimiters: commentDelims }),
    variables: new Map(Object.entries(vars).map(([key, value]) => [key, decodeTagged(value, govalue)])),
    context: decodeTagged(context ?? null, govalue),
    escape: escape === 'html' ? 'html' : 'none',
    loader: (path) => files[path],
  }
}

function tokenNames(module, { template, delims = ['{{', '}}'], commentDelims = ['{*', '*}'] }) {
  return module
    .tokenize(template, { delimiters: delims, commentDelimiters: commentDelims })
    .filter((token) => token.kind !== 'eof')
    .map((token) => token.kind[0].toUpperCase() + token.kind.slice(1))
    .join(' ')
}
