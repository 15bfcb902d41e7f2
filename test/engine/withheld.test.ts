import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { scan } from '../../src/engine/local.ts'
import { loadPolicy } from '../../src/policy/load.ts'
import { PLAIN } from '../../src/report/format.ts'
import { reportFormats } from '../../src/report/index.ts'
import { needsRoot, temporaryDirectory } from '../support/temporary.ts'

const NOBODY = 65534
const SECRET = 'root:$y$j9T$planted-secret:20000:0:99999:7:::\n'
const DIGEST = createHash('sha256').update(SECRET).digest('hex')

/** A directory of the account nobody in one of root, beside a file that only root may read. */
function scene(): { base: string; app: string; secret: string } {
  const base = temporaryDirectory()
  const [app, secret] = [join(base, 'app'), join(base, 'secret')]
  mkdirSync(app)
  chownSync(app, NOBODY, NOBODY)
  writeFileSync(secret, SECRET, { mode: 0o600 })
  return { base, app, secret }
}

function asNobody(...argv: readonly string[]): void {
  execFileSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', ...argv])
}

async function audit(base: string, policy: string, showDiff = true): Promise<Run> {
  writeFileSync(join(base, 'policy.yaml'), policy)
  const loaded = await loadPolicy(join(base, 'policy.yaml'))
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  return scan(loaded.value, { showDiff })
}

/** The only result of a run, whose secret is in no report of it. */
async function resultWithoutSecret(run: Run): Promise<ResourceResult | undefined> {
  for (const { name, render } of reportFormats) {
    const text = await render(run, { ...PLAIN, verbose: true })
    expect(text, name).not.toMatch(/planted-secret/)
    expect(text, name).not.toContain(DIGEST)
  }
  return run.policies[0]?.resources[0]
}

const concealed = {
  property: 'content',
  desired: { redacted: true },
  observed: { redacted: true },
  note: 'not shown: the path can be changed by nobody',
}

const withheld = { verdict: 'drifted', drift: [concealed] }

test.skipIf(needsRoot).each([
  ['with differences', true],
  ['with --no-diff, which would still show its digest', false],
])('a symlink of an unprivileged user to a file of root does not reveal its content: %s', async (_case, showDiff) => {
  const { base, app, secret } = scene()
  asNobody('ln', '-s', secret, join(app, 'app.conf'))
  const policy = `ccm: {resources: [{file: [{"${app}/app.conf": {ensure: present, content: "x", owner: root, group: root, mode: "0600", access: any}}]}]}`
  const result = await resultWithoutSecret(await audit(base, policy, showDiff))
  expect(result).toMatchObject(withheld)
  expect(result?.drift[0]).not.toHaveProperty('diff')
})

test.skipIf(needsRoot)('such a symlink reveals no content for a sha256, a line or a pattern either', async () => {
  const { base, app, secret } = scene()
  asNobody('ln', '-s', secret, join(app, 'app.conf'))
  const policy = (wanted: string): string =>
    `ccm: {resources: [{file: [{"${app}/app.conf": {ensure: present, if_absent: drift, ${wanted}}}]}]}`
  const sum = await resultWithoutSecret(await audit(base, policy(`sha256: "${'0'.repeat(64)}"`)))
  expect(sum).toMatchObject({ verdict: 'drifted', drift: [{ ...concealed, property: 'sha256' }] })
  const lines = await resultWithoutSecret(await audit(base, policy('content: {includes: [x]}')))
  expect(lines).toMatchObject(withheld)
  const pattern = await resultWithoutSecret(await audit(base, policy('content: {matches: x}')))
  expect(pattern).toMatchObject(withheld)
})

test.skipIf(needsRoot)('a scaffold with a target below a directory of another user reveals no content', async () => {
  const { base, app, secret } = scene()
  mkdirSync(join(base, 'templates'))
  writeFileSync(join(base, 'templates/app.conf'), 'rendered\n')
  asNobody('ln', '-s', secret, join(app, 'app.conf'))
  const policy = `ccm: {resources: [{scaffold: [{"${app}": {ensure: present, source: templates, engine: jet}}]}]}`
  expect(await resultWithoutSecret(await audit(base, policy))).toMatchObject(withheld)
})

test.skipIf(needsRoot).each([
  ['file', 'file: [{"TARGET/f": {ensure: present, source: "APP/link", owner: root, group: root, mode: "0644"}}]'],
  ['scaffold', 'scaffold: [{"TARGET": {ensure: present, source: "APP/templates", engine: jet}}]'],
])('a %s reveals no content of a source that other users can replace', async (_type, resource) => {
  const { base, app, secret } = scene()
  asNobody('ln', '-s', secret, join(app, 'link'))
  // The root of a source may be a link; what it leads to then belongs to it.
  mkdirSync(join(base, 'private'), { mode: 0o700 })
  writeFileSync(join(base, 'private/f'), SECRET)
  asNobody('ln', '-s', join(base, 'private'), join(app, 'templates'))
  mkdirSync(join(base, 'target'))
  writeFileSync(join(base, 'target/f'), 'something else\n')
  const policy = `ccm: {resources: [{${resource.replace('TARGET', join(base, 'target')).replace('APP', app)}}]}`
  expect(await resultWithoutSecret(await audit(base, policy))).toMatchObject(withheld)
})

test.skipIf(needsRoot)('a diff of a file that others may not read is marked as confidential in the run', async () => {
  const { base, secret } = scene()
  const policy = (path: string): string =>
    `ccm: {resources: [{file: [{"${path}": {ensure: present, content: "x\\n", owner: root, group: root, mode: "0600"}}]}]}`
  const [drift] = (await audit(base, policy(secret))).policies[0]?.resources[0]?.drift ?? []
  expect(drift).toMatchObject({ diff: expect.stringContaining('planted-secret'), confidential: true })
  chmodSync(secret, 0o644)
  const [open] = (await audit(base, policy(secret))).policies[0]?.resources[0]?.drift ?? []
  expect(open).toMatchObject({ diff: expect.stringContaining('planted-secret') })
  expect(open).not.toHaveProperty('confidential')
})
