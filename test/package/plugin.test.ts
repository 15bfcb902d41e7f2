import { chownSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Outcome, start } from '../support/driftgate.ts'
import { compile, copyPlugin, installPacked } from '../support/packed.ts'
import { needsPrograms } from '../support/programs.ts'
import { needsRoot, temporaryDirectory } from '../support/temporary.ts'

// A third-party project: the plugin of the guide with nothing but the package that npm would publish.
const missing = needsPrograms('npm', 'tar')
const project = mkdtempSync(join(realpathSync(tmpdir()), 'driftgate-plugin-'))

beforeAll(() => {
  if (missing !== undefined) return
  copyPlugin('file-owner', project)
  installPacked(project)
}, 120_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

/** Mistakes of an author that the published types must find. */
const MISUSE = [
  `import { defineProperties, defineResource, differences, present } from 'driftgate'`,
  ``,
  `export const misuse = defineResource({`,
  `  type: 'misuse',`,
  `  summary: 'Every line below a comment is wrong.',`,
  `  properties: defineProperties({`,
  `    count: { kind: 'integer', required: true, summary: 'A number that is always there.' },`,
  `    text: { kind: 'text', summary: 'A text that may be missing.' },`,
  `    // @ts-expect-error a constraint that no kind has`,
  `    odd: { kind: 'text', requird: true, summary: 'A text with a mistake.' },`,
  `  }),`,
  `  drifts: ['count'],`,
  `  examples: [],`,
  `  observe: (target, desired) => {`,
  `    // @ts-expect-error there is no such property`,
  `    void desired.cuont`,
  `    // @ts-expect-error a number has no length`,
  `    void desired.count.length`,
  `    // @ts-expect-error it may be undefined`,
  `    void desired.text.length`,
  `    // @ts-expect-error what observes cannot write`,
  `    void target.setOwner`,
  `    return present({ seen: 1 }, { extra: 'text' })`,
  `  },`,
  `  decide: (desired, observed) => {`,
  `    // @ts-expect-error nothing is known of what is absent`,
  `    void observed.state`,
  `    // @ts-expect-error the context holds a text`,
  `    observed.context.extra.toFixed()`,
  `    return differences([])`,
  `  },`,
  `  apply: async () => ({ kind: 'done' }),`,
  `})`,
  ``,
].join('\n')

test.skipIf(missing)('it compiles against the published types alone', { timeout: 120_000 }, () => {
  writeFileSync(join(project, 'src/misuse.ts'), MISUSE)
  expect(compile(project, ['--strict', '--skipLibCheck', 'false'])).toBe('')
})

/** Runs the installed command with the plugin that was compiled. */
function scan(policy: unknown, ...args: readonly string[]): Promise<Outcome> {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'policy.yaml'), JSON.stringify(policy))
  const driftgate = join(project, 'node_modules/driftgate/dist/bin/driftgate.js')
  const plugin = join(project, 'dist/src/index.js')
  const all = [driftgate, 'scan', 'policy.yaml', '--plugin', plugin, '--report', 'json', ...args]
  return start(process.execPath, all, { cwd }).outcome
}

function policyFor(destination: string, ids: Readonly<Record<string, unknown>>): unknown {
  return { ccm: { resources: [{ 'file.owner': [{ tree: { destination, recursive: true, ...ids } }] }] } }
}

/** A directory with a file and with a link to a file outside. */
function plantTree(): { readonly tree: string; readonly outside: string } {
  const base = temporaryDirectory()
  const [tree, outside] = [join(base, 'tree'), join(base, 'outside')]
  mkdirSync(tree)
  writeFileSync(outside, '')
  writeFileSync(join(tree, 'file'), '')
  symlinkSync('../outside', join(tree, 'link'))
  return { tree, outside }
}

const [UID, GID] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]

test.skipIf(missing)('an audit tells drift by the exit code and changes nothing', async () => {
  const { tree } = plantTree()
  expect(await scan(policyFor(tree, { uid: UID, gid: GID }))).toMatchObject({ code: 0 })
  const { code, stdout } = await scan(policyFor(tree, { uid: UID + 1 }))
  expect(code).toBe(2)
  expect(firstOf(stdout)).toMatchObject({ id: 'file.owner#tree', verdict: 'drifted', change: 'will' })
  expect(lstatSync(join(tree, 'file')).uid).toBe(UID)
})

test.skipIf(missing ?? needsRoot)('a fix repairs what drifted (needs root)', async () => {
  const { tree, outside } = plantTree()
  chownSync(join(tree, 'file'), 501, 502)
  const policy = policyFor(tree, { uid: 503, gid: 504 })
  const { code, stdout } = await scan(policy, '--fix')
  expect(code).toBe(0)
  expect(firstOf(stdout)).toMatchObject({ verdict: 'fixed' })
  for (const path of [tree, join(tree, 'file'), join(tree, 'link')]) {
    expect(lstatSync(path)).toMatchObject({ uid: 503, gid: 504 })
  }
  expect(lstatSync(outside)).toMatchObject({ uid: UID, gid: GID })
  expect(await scan(policy)).toMatchObject({ code: 0 })
})

function firstOf(report: string): unknown {
  const { policies } = JSON.parse(report) as { policies: readonly { resources: readonly unknown[] }[] }
  return policies[0]?.resources[0]
}

test.skipIf(missing)('its own tests pass', { timeout: 120_000 }, async () => {
  const args = ['--test', '--test-reporter=tap', 'dist/test/file-owner.test.js']
  const { code, stdout, stderr } = await start(process.execPath, args, { cwd: project }).outcome
  expect(code, stdout + stderr).toBe(0)
  expect(stdout).toContain('# fail 0')
  expect(stdout).not.toContain('# pass 0\n')
})
