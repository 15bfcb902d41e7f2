// A report format: its folder, its tests with golden files, and the line in the registry.

export const summary = 'a report format: what it is, and what renders it'

// Config files name formats, so their schema does.
export const generates = true

const FORMAT_NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/
const LONGEST_NAME = 30

export function nameProblem(name) {
  if (FORMAT_NAME.test(name) && name.length <= LONGEST_NAME) return undefined
  const like = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
  const advice = FORMAT_NAME.test(like) && like.length <= LONGEST_NAME ? `; did you mean "${like}"?` : ''
  return `a report format cannot be called "${name}": it is words of small letters and digits with - between them, such as sarif-github${advice}`
}

export function owns(name) {
  return [`src/report/formats/${name}`]
}

export function files(name) {
  return {
    'index.ts': `src/report/formats/${name}/index.ts`,
    'render.ts': `src/report/formats/${name}/render.ts`,
    'format.test.ts': `test/report/formats/${name}.test.ts`,
    'host.golden': `test/fixtures/reports/host.${name}`,
    'fleet.golden': `test/fixtures/reports/fleet.${name}`,
  }
}

export function words(name) {
  return { __format__: name, __ident__: identifierOf(name) }
}

export function edits(name) {
  return { 'src/report/index.ts': (text) => register(text, name) }
}

/** Adds the format to the end of the list. */
function register(text, name) {
  const identifier = identifierOf(name)
  const imported = text.replace(/\n\n/, `\nimport { ${identifier} } from './formats/${name}/index.ts'\n\n`)
  const listed = imported.replace(/(reportFormats: readonly ReportFormat\[\] = \[[^\]]*)\]/, `$1  ${identifier},\n]`)
  if (listed === imported || imported === text) throw new Error('src/report/index.ts has no list to add a format to')
  return listed
}

export function next(name) {
  return [
    `Report format ${name} is there and works: a line for each finding. Now make it what it is to be:`,
    `- src/report/formats/${name}/index.ts says for whom it is, its file in --out, and who may read that.`,
    `- src/report/formats/${name}/render.ts makes the text; what formats have in common is in src/report/words.`,
    `- npx vitest run test/report/golden.test.ts -u writes test/fixtures/reports/*.${name} anew; read the difference.`,
    `- Name it in the guide of reports, docs/guide/reports.md.`,
  ]
}

/** Formats are constants of one name with a suffix, so that no word of the language is in the way. */
function identifierOf(name) {
  return `${name.replaceAll(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase())}Format`
}
