import type { Testimony } from '../../host/witness.ts'
import { isThere } from '../reading.ts'
import { type ConfigFiles, SILENT, type WitnessAnswer, type WitnessQuestion } from '../surface.ts'
import { DATA_BLOCKS } from './parse.ts'
import { readOptions, readTexts } from './read.ts'

export const PROGRAM = '/usr/sbin/nginx'

/** Asks whether nginx takes the configuration, and which texts it reads. It binds its addresses and makes files meanwhile. */
export function askNginx(files: ConfigFiles): readonly WitnessQuestion[] {
  const options = isThere(files, PROGRAM) ? readOptions(files) : undefined
  if (options === undefined) return []
  return [
    {
      commands: [[PROGRAM, '-T', ...options]],
      manner: { sandboxed: true },
      hear: ([answer]) => heardOf(answer, () => readTexts(files)),
    },
  ]
}

/** A mistake at a line, which is not for want of a network, of a directory service or of a writable file system. */
const REFUSED =
  /\[emerg\] (?:\d+#\d+: )?(?!.*(?:host not found|get(?:pw|gr)nam\(|\((?:30|98|99|111): ))(.* in \S+:\d+)$/m

function heardOf({ exitCode, stdout, stderr }: Testimony, read: () => ReadonlyMap<string, string>): WitnessAnswer {
  const [, words] = REFUSED.exec(stderr) ?? []
  if (exitCode !== 0) return words === undefined ? SILENT : { kind: 'refused', words: `nginx -T: ${words}` }
  const ours = Array.from(read(), ([path, text]) => `# configuration file ${path}:\n${text}\n`)
  const whole = ours.join('')
  if (stdout === whole || stdout.includes('\uFFFD') || (INCLUDES_DATA.test(whole) && isWithin(ours, stdout)))
    return SILENT
  const theirs = stdout.match(/^# configuration file .*:$/gm) ?? []
  const odd = theirs.find((line) => !whole.includes(line)) ?? ours.find((each) => !stdout.includes(each)) ?? ''
  return { kind: 'differs', words: `nginx -T reads other files or texts than the scan: ${odd.split('\n', 1)[0]}` }
}

/** The reader follows no include in these blocks. */
const INCLUDES_DATA = new RegExp(String.raw`\b(?:${DATA_BLOCKS})\b[^{};]*\{[^}]*\binclude\b`)

/** Whether a text has all parts, one after the other. */
function isWithin(parts: readonly string[], text: string): boolean {
  let from = 0
  return parts.every((part) => {
    const at = text.indexOf(part, from)
    from = at + part.length
    return at >= 0
  })
}
