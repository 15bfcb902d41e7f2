// What users install does what the build in the checkout does: one table of cases for each artefact.
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prepareRootFilesystem } from '../hosts/debian-host.ts'
import { needsDnf } from '../support/dnf-root.ts'
import { packagesForTests } from '../support/one-file.ts'
import { writeFiles } from '../support/plugin.ts'
import { needsPrograms } from '../support/programs.ts'
import { needsRoot } from '../support/temporary.ts'
import { buildImage, copyOneFile, installDeb, type Installed, installFromNpm, installRpm } from './artefacts.ts'
import { ARCHIVES, CASES } from './cases.ts'

const packages = packagesForTests()
const rootFilesystem = await prepareRootFilesystem()
const base = rootFilesystem.kind === 'ready' ? rootFilesystem.path : ''
const noDebian = rootFilesystem.kind === 'ready' ? undefined : rootFilesystem.reason
const noBuilder = noDebian ?? needsPrograms('buildah')

const ARTEFACTS: readonly (readonly [
  name: string,
  missing: string | undefined,
  install: (scratch: string) => Installed,
])[] = [
  ['the archive of npm', needsRoot, (scratch) => installFromNpm(scratch, packages.file)],
  ['the one file', needsRoot, (scratch) => copyOneFile(scratch, packages.file)],
  ['the package of Debian', noDebian, (scratch) => installDeb(scratch, packages.file, base)],
  ['the rpm', noDebian ?? needsDnf, (scratch) => installRpm(scratch, packages.file, base)],
  ['the image', noBuilder, (scratch) => buildImage(scratch, packages.file, base)],
]

let server: Server
let address: string

beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const bytes = ARCHIVES[url]
    response.writeHead(bytes === undefined ? 404 : 200).end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterAll(() => server.close())

describe.each(ARTEFACTS)('%s', (_name, missing, install) => {
  describe.skipIf(missing)(missing ?? 'installed', () => {
    let scratch: string
    let installed: Installed

    beforeAll(() => {
      scratch = mkdtempSync(join(tmpdir(), 'driftgate-artefact-'))
      installed = install(scratch)
    }, 300_000)

    afterAll(() => rmSync(scratch, { recursive: true, force: true }))

    test.each(CASES)('$name', async ({ files, runs }) => {
      const { outside, inside } = installed.directory()
      writeFiles(outside, files?.(inside, address) ?? {})
      for (const [words, code, output] of runs) {
        const args = words.map((word) => word.replace('{}', inside))
        const outcome = await installed.run(inside, args)
        expect(outcome, `${args.join(' ')}: ${outcome.stderr}`).toMatchObject({ code })
        if (output !== undefined) expect(outcome.stdout + outcome.stderr, args.join(' ')).toMatch(output)
        expect(outcome.stderr).not.toMatch(/Cannot find module|internal error/)
      }
    })
  })
})
