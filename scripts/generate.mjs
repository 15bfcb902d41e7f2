// Writes what is generated from the registry of resource types, from the options of the command line and from the catalogue: the JSON Schemas
// of policies, for editors, of config files and of events, the pages of the reference and of severities, the compiled validators of policies
// and of stored reports, and the composed policies. None of it is in git.
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import Ajv from 'ajv'
import Ajv2020 from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import { build } from 'esbuild'
import { loadSources } from './build/load-sources.mjs'
import { eventSchema } from './event-schema.mjs'
import { severitiesPage } from './severities.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Validators are written as modules. */
const AS_SOURCE = { code: { source: true, esm: true } }
const reference = 'docs/reference'
const policies = 'policies'

const {
  composedText,
  configSchema,
  editorSchema,
  inventorySchema,
  referencePages,
  resourceTypes,
  rosterSchema,
  SCHEMA_OPTIONS,
  shapeSchema,
  targetSchema,
  waiversSchema,
} = await loadSources(
  root,
  `export { configSchema } from './src/cli/config/schema.ts'
     export { targetSchema } from './src/cli/options/target.ts'
     export { composedText } from './src/policy/catalogue/composed-text.ts'
     export { rosterSchema } from './src/fleet/roster-schema.ts'
     export { inventorySchema } from './src/remote/inventory/schema.ts'
     export { SCHEMA_OPTIONS } from './src/policy/schema/compile.ts'
     export { shapeSchema } from './src/policy/schema/schema.ts'
     export { editorSchema } from './src/policy/schema/editor.ts'
     export { referencePages } from './src/cli/reference/index.ts'
     import { loadTypes } from './src/subjects/index.ts'
     export const resourceTypes = await loadTypes()
     export { waiversSchema } from './src/policy/waivers/schema.ts'`,
  // Commands load what does their work when they run; among that are the validators, which are yet to be made.
  ['*/generated/policy-validator.js', '*/generated/report-validator.js', '*/generated/plan-validator.js'],
)
const texts = new Map([
  ['schemas/policy.schema.json', textOfSchema(editorSchema(resourceTypes))],
  ['schemas/config.schema.json', textOfSchema(configSchema())],
  ['schemas/inventory.schema.json', textOfSchema(inventorySchema(targetSchema()))],
  ['schemas/roster.schema.json', textOfSchema(rosterSchema())],
  ['schemas/waivers.schema.json', textOfSchema(waiversSchema())],
  ['schemas/event.schema.json', textOfSchema(eventSchema(JSON.parse(await textOf('schemas/report.schema.json'))))],
  ['docs/reference/severities-of-controls.md', severitiesPage(join(root, policies, 'catalogue'))],
  ...[...referencePages(resourceTypes)].map(([page, text]) => [`${reference}/${page}`, text]),
])
const superfluous = (await pagesThere()).filter((path) => !texts.has(path))
for (const path of superfluous) await rm(join(root, path))
for (const [path, text] of texts) {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}
await writePolicies()
const ofPolicies = new Ajv.default({ ...SCHEMA_OPTIONS, ...AS_SOURCE })
await writeValidator('src/policy/schema/generated/policy-validator.js', ofPolicies, {
  validatePolicy: shapeSchema(resourceTypes),
})
const ofReports = new Ajv2020.default({ allowUnionTypes: true, ...AS_SOURCE })
await writeValidator('src/report/stored/generated/report-validator.js', ofReports, {
  validateReport: JSON.parse(await textOf('schemas/report.schema.json')),
})
// The audit in a plan is checked as any other report, by the validator of reports.
const planSchema = JSON.parse(await textOf('schemas/plan.schema.json'))
const ofPlans = new Ajv2020.default({ allowUnionTypes: true, ...AS_SOURCE })
await writeValidator('src/report/stored/generated/plan-validator.js', ofPlans, {
  validatePlan: { ...planSchema, properties: { ...planSchema.properties, audit: { type: 'object' } } },
})

/** Composes the policies that ship, as `@NAME` reads them. */
async function writePolicies() {
  const workingDirectory = join(root, policies)
  await mkdir(join(root, 'dist/policies'), { recursive: true })
  for (const name of (await readdir(workingDirectory)).filter((each) => each.endsWith('.yaml'))) {
    const file = `${policies}/${name}`
    const composed = await composedText({ file, bytes: await readFile(join(root, file)), workingDirectory })
    if (!composed.ok) {
      for (const { position, message } of composed.problems)
        console.error(`${position?.file}:${position?.line}: ${message}`)
      process.exit(1)
    }
    await writeFile(join(root, 'dist', file), composed.value)
  }
}

/** The files of the reference, of any kind; none where there is no directory yet. */
async function pagesThere() {
  const names = await readdir(join(root, reference)).catch(absent)
  return (names ?? []).map((name) => `${reference}/${name}`)
}

function textOfSchema(schema) {
  return `${JSON.stringify(schema, null, 2)}\n`
}

async function textOf(path) {
  return readFile(join(root, path), 'utf8').catch(absent)
}

function absent(error) {
  if (error.code !== 'ENOENT') throw error
}

/** Writes the validator of one schema, under its name, as a module without imports. */
async function writeValidator(path, ajv, schemas) {
  const [[name, schema]] = Object.entries(schemas)
  const contents = standalone.default(ajv, { [name]: ajv.addSchema(schema, name) && name })
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root, loader: 'js' },
    bundle: true,
    write: false,
    minify: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'warning',
  })
  const file = join(root, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, `// Generated by scripts/generate.mjs.\n${outputFiles[0].text}`)
}
