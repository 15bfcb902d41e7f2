// driftgate beside programs that do the same work, where they are installed: the content, owner, group and mode of files.
const LIMIT_MS = 120_000

export async function run(tools) {
  const { isInstalled, makeFiles } = tools
  const work = 'the same files in goss, ccm and puppet'
  if (!isInstalled('time')) return [{ work, skipped: 'needs /usr/bin/time' }]
  const missing = ['goss', 'ccm', 'puppet'].filter((name) => !isInstalled(name))
  if (missing.length === 3) return [{ work, skipped: 'none of them is installed' }]
  const rows = []
  // One after the other: files that are still being written would cost the programs time.
  for (const count of [10, 1_000, 10_000]) rows.push(rowOf(count, await makeFiles(count), missing, tools))
  return rows
}

function rowOf(count, { named, goss, manifest }, missing, { driftgate, timed }) {
  const programs = Object.entries({
    driftgate: driftgate('scan', named, '--quiet'),
    goss: ['goss', '--gossfile', goss, 'validate', '--format', 'silent', '--no-color'],
    ccm: ['ccm', 'apply', named, '--noop'],
    puppet: ['puppet', 'apply', '--noop', manifest],
  }).filter(([name]) => !missing.includes(name))
  const commands = programs.map(([, command]) => command)
  const figures = timed(commands, { runs: count > 1_000 ? 1 : 5, limitMs: LIMIT_MS })
  const columns = programs.map(([name], index) => ({ name, ...figures[index] }))
  return { work: `${count.toLocaleString('en')} files`, columns, missing }
}
