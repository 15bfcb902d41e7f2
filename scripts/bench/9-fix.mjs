// What the way back costs: fixes of 1,000 files that keep what they replace, against the same ones that do not.
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

const COUNT = 1_000

// Root keeps its journals where those of the machine are. Another user keeps them at home.
const UNPRIVILEGED_ID = 65_534
const [uid, gid] = process.getuid() === 0 ? [UNPRIVILEGED_ID, UNPRIVILEGED_ID] : [process.getuid(), process.getgid()]

export async function run({ driftgate, median, compare }) {
  const home = await mkdtemp(join(tmpdir(), 'driftgate-bench-fix-'))
  await chown(home, uid, gid)
  const options = { runs: 5, uid, gid, cwd: home, env: { HOME: home, TMPDIR: home } }
  // Each fix of a pair finds all files as the other one has left them.
  const pair = async (work, [kept, plain], budget = {}) => {
    const [one, other] = [await policy(home, kept), await policy(home, plain)]
    const commands = [fix(one), [...fix(other), '--keep-undo', '0']]
    const [measured, baseline] = median(commands, options)
    return compare(work, measured, { against: '--keep-undo 0', baseline, ...budget })
  }
  const fix = (path) => driftgate('scan', path, '--fix', '--quiet')
  try {
    return [
      await pair('fix of the content of 1,000 files', [file('new'), file('old')], { atMost: 1.3 }),
      await pair('fix of the mode of 1,000 files', ['mode: "0600"', 'mode: "0640"']),
    ]
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

function file(content) {
  return `mode: "0644", content: "${content.repeat(100)}\\n"`
}

async function policy(home, properties) {
  const path = join(home, `${Math.random()}.yaml`)
  const items = Array.from(
    { length: COUNT },
    (_, index) => `        - ${home}/file-${index}: { ensure: present, owner: ${uid}, group: ${gid}, ${properties} }\n`,
  )
  await writeFile(path, `ccm:\n  resources:\n    - file:\n${items.join('')}`)
  return path
}
