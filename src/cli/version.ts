import { readFileSync } from 'node:fs'
import process from 'node:process'
import { VERSION } from '../engine/version.ts'
import { isOneFile, readInside } from '../policy/fetch/one-file.ts'

/** Build information written by `npm run package`. */
interface BuildInfo {
  readonly commit: string | null
  readonly seconds: number | null
}

/** Build and runtime of this driftgate. `commit` and `date` are null in a build without packaging. */
interface VersionInfo {
  readonly version: string
  readonly form: 'single executable file' | 'npm package'
  readonly node: string
  readonly v8: string
  readonly platform: string
  readonly arch: string
  readonly commit: string | null
  readonly date: string | null
}

export function versionInfo(): VersionInfo {
  const { commit, seconds } = buildInfo()
  const { arch, platform, versions } = process
  return {
    version: VERSION,
    form: isOneFile() ? 'single executable file' : 'npm package',
    node: versions.node,
    v8: versions.v8,
    platform,
    arch,
    commit,
    date: seconds === null ? null : new Date(seconds * 1000).toISOString().replace('.000', ''),
  }
}

export function versionInFull(): string {
  const { version, form, node, v8, platform, arch, commit, date } = versionInfo()
  return [
    `driftgate ${version}`,
    `form: ${form}`,
    `node: ${node} (V8 ${v8}, ${platform} ${arch})`,
    `commit: ${commit ?? 'unknown'}`,
    `date: ${date ?? 'unknown'}`,
    '',
  ].join('\n')
}

function buildInfo(): BuildInfo {
  const bytes = isOneFile() ? readInside('build.json') : besidePackage()
  return bytes === undefined ? { commit: null, seconds: null } : (JSON.parse(bytes.toString()) as BuildInfo)
}

/** Absent in a build without packaging. */
function besidePackage(): Buffer | undefined {
  try {
    return readFileSync(new URL('bin/build.json', import.meta.url))
  } catch {
    return undefined
  }
}
