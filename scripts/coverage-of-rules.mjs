// How many rules of baselines can be said with the types that ship, without a command. Usage:
//
//   npm run coverage-of-rules -- RULES.json [--profile TEXT] [--missing] [--json PATH] [--write DIR]
//
// RULES.json holds rules by profile, each with its kind, its parameters and the recommendations it belongs to. Each rule that a
// translator knows becomes resources, each profile a policy that driftgate has to find valid. A recommendation counts once all its
// rules do. `--missing` names the rules that are not translated, `--write` keeps the policies. Exit codes: 0 all policies are
// valid, 1 one is not, 2 wrong usage.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'
import { stringify } from 'yaml'
import { policyOf } from './coverage-of-rules/policy.mjs'
import { ratio, tableOf } from './coverage-of-rules/summary.mjs'
import { translate } from './coverage-of-rules/translate.mjs'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    profile: { type: 'string', default: '' },
    missing: { type: 'boolean', default: false },
    json: { type: 'string' },
    write: { type: 'string' },
  },
})
const [file] = positionals
if (file === undefined || positionals.length > 1) {
  console.error(
    'usage: npm run coverage-of-rules -- RULES.json [--profile TEXT] [--missing] [--json PATH] [--write DIR]',
  )
  process.exit(2)
}
const { profiles } = JSON.parse(readFileSync(file, 'utf8'))
const covered = Object.entries(profiles)
  .filter(([name]) => name.includes(values.profile))
  .map(([name, { title, rules }]) => ({ name, title, rules: translated(name, rules) }))
const folder = values.write ?? mkdtempSync(join(tmpdir(), 'driftgate-rules-'))
try {
  const areValid = validate(folder)
  console.log(tableOf(covered))
  if (values.missing) for (const line of missingOf(covered)) console.log(line)
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(covered.map(figuresOf), undefined, 2)}\n`)
  process.exitCode = areValid ? 0 : 1
} finally {
  if (values.write === undefined) rmSync(folder, { recursive: true })
}

function translated(profile, rules) {
  const [os] = profile.split('/')
  return Object.entries(rules).map(([id, rule]) => ({ id, ...rule, resources: translate({ id, os, ...rule }) }))
}

/** Writes the policies and has the built driftgate read them, as a user would. */
function validate(directory) {
  mkdirSync(directory, { recursive: true })
  const paths = covered.map((profile) => {
    const path = join(directory, `${profile.name.replace('/', '-')}.yaml`)
    writeFileSync(path, stringify(policyOf(profile), { aliasDuplicateObjects: false }))
    return path
  })
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['dist/bin/driftgate.js', 'validate', '--quiet', ...paths],
    {
      encoding: 'utf8',
    },
  )
  if (status !== 0) console.error(`${stdout}${stderr}`)
  return status === 0
}

function missingOf(all) {
  const places = new Map()
  for (const { name, rules } of all) {
    for (const { id, kind, sub, resources } of rules) {
      if (resources !== undefined) continue
      const key = `${[kind, sub].filter(Boolean).join('/')} ${id}`
      places.set(key, [...(places.get(key) ?? []), name])
    }
  }
  const lines = [...places].map(([key, names]) => `${key} (${names.join(', ')})`)
  return lines.toSorted((one, other) => (one < other ? -1 : 1))
}

function figuresOf({ name, rules }) {
  return { profile: name, ...ratio(rules) }
}
