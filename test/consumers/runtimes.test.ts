// The package runs on each supported Node, and says the same on all of them.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { beforeAll, describe, expect, test } from 'vitest'
import { NO_REGISTRY } from '../support/allowed-skips.ts'
import { DRIFTGATE, type Outcome, start, temporaryDirectory } from '../support/driftgate.ts'
import { install } from './install.ts'

const VERSIONS = ['20.19.0', '22.23.3', '24.21.0', '26.10.0']

describe.each(VERSIONS)('Node %s', (version) => {
  const name = `node-linux-${process.arch}`
  let missing: string | undefined
  let node = ''
  beforeAll(async () => {
    const installed = await install('npm', name, version)
    if ('missing' in installed) missing = installed.missing
    else node = join(installed.directory, 'node_modules', name, 'bin/node')
  })

  test.for([
    [['--version'], 0],
    [['validate', '@linux', 'p.yaml'], 0],
    [['scan', 'p.yaml'], 2],
    [['scan', 'p.yaml', '--report', 'plan'], 2],
    [['docs', 'file'], 0],
  ] as const)('%j', async ([args, code], { skip }) => {
    if (missing !== undefined) {
      console.error(missing)
      skip(NO_REGISTRY)
    }
    const cwd = temporaryDirectory()
    const resources = Array.from({ length: 1100 }, (_, index) => `{ /nowhere/${index}: { ensure: absent } }`).join(', ')
    mkdirSync(join(cwd, 'home'))
    writeFileSync(join(cwd, 'here'), '')
    writeFileSync(
      join(cwd, 'p.yaml'),
      `ccm: { resources: [{ file: [${resources}, { ${cwd}/here: { ensure: absent } }] }] }\n`,
    )
    const run = async (program: string): Promise<Pick<Outcome, 'code' | 'stdout' | 'stderr'>> => {
      const { code: ended, stdout, stderr } = await start(program, [DRIFTGATE, ...args], { cwd }).outcome
      return { code: ended, stdout: stdout.replaceAll(/\d+(?:\.\d+)? ?m?s\b/g, 'TIME'), stderr }
    }
    const result = await run(node)
    expect(result).toMatchObject({ code, stderr: '' })
    expect(result.stdout).toBe((await run(process.execPath)).stdout)
  })
})
