const CANDIDATE = /\.driftgate-candidate\b/
const MODE = /^(\/.*): bad permissions, should be mode (0[0-7]+)$/
const OWNER = /^(\/.*): wrong owner \(uid, gid\) should be \((\d+), (\d+)\)$/
const SYNTAX = /^(\/.*?):(\d+)(?::\d+)?: /

/**
 * Hint if visudo rejects an existing file: it checks every file that sudo reads, with stricter rules for owner and mode than sudo
 * itself. Undefined if it does not mention another file.
 */
export function explainVisudo(output: string): string | undefined {
  const lines = output.split('\n').filter((line) => !CANDIDATE.test(line))
  const found = [...new Set(lines.flatMap((line) => causeIn(line) ?? []))]
  return found.length === 0 ? undefined : `visudo rejects every change because ${found.join(', and ')}; then fix again`
}

function causeIn(line: string): string | undefined {
  const [, file, mode] = MODE.exec(line) ?? []
  if (mode !== undefined) return `the mode of ${file} is not ${mode} (run chmod ${mode} ${file})`
  const [, owned, uid, gid] = OWNER.exec(line) ?? []
  if (gid !== undefined) return `${owned} has another owner (run chown ${uid}:${gid} ${owned})`
  const [, wrong, at] = SYNTAX.exec(line) ?? []
  return at === undefined
    ? undefined
    : `${wrong}:${at} is not a valid sudoers line (correct it with visudo -f ${wrong})`
}
