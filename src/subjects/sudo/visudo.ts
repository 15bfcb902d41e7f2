const CANDIDATE = /\.driftgate-candidate\b/
const MODE = /^(\/.*): bad permissions, should be mode (0[0-7]+)$/
const OWNER = /^(\/.*): wrong owner \(uid, gid\) should be \((\d+), (\d+)\)$/
const SYNTAX = /^(\/.*?):(\d+)(?::\d+)?: /

/**
 * What to do where visudo refuses for a file that was there before: it judges every file that sudo reads, by its owner and mode,
 * too, which sudo itself asks less of. Undefined where it says nothing of another file.
 */
export function explainVisudo(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => !CANDIDATE.test(line))
  const found = [...new Set(lines.flatMap((line) => causeIn(line) ?? []))]
  return found.length === 0 ? undefined : `visudo accepts no change as long as ${found.join(', and ')}; then fix again`
}

function causeIn(line: string): string | undefined {
  const [, file, mode] = MODE.exec(line) ?? []
  if (mode !== undefined) return `${file} has another mode than ${mode} (run chmod ${mode} ${file})`
  const [, owned, uid, gid] = OWNER.exec(line) ?? []
  if (gid !== undefined) return `${owned} belongs to others (run chown ${uid}:${gid} ${owned})`
  const [, wrong, at] = SYNTAX.exec(line) ?? []
  return at === undefined ? undefined : `${wrong}:${at} is no line of sudoers (correct it with visudo -f ${wrong})`
}
