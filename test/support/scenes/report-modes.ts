import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { temporaryDirectory } from '../temporary.ts'

export const SECRET = 'planted-secret'
export const HIDDEN = 'the file is private, and this report is not'

/** A directory with a policy about a file that only its owner may read. */
export function scene(): string {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'private.conf'), `${SECRET}\n`, { mode: 0o600 })
  const [uid, gid] = [process.getuid?.(), process.getgid?.()]
  const body = `{ensure: present, content: "other\\n", owner: "${uid}", group: "${gid}", mode: "0600"}`
  writeFileSync(
    join(directory, 'p.yaml'),
    `ccm: {resources: [{file: [{"${join(directory, 'private.conf')}": ${body}}]}]}\n`,
  )
  return directory
}
