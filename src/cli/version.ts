import { readFileSync } from 'node:fs'
import process from 'node:process'
import { VERSION } from '../engine/version.ts'
import { isOneFile, readInside } from '../policy/fetch/one-file.ts'

/** Build information written by `npm run package`. */
interface BuildInfo {
  readonly commit: string | null
  readonly seconds: number | null
}

/** Build and runtime information of this driftgate. */
export function versionInFull(): string {
  const { commit, seconds } = buildInfo()
  const { arch, platform, versions } = process
  return [
    `driftgate ${VERSION}`,
    `form: ${isOneFile() ? 'single executable file' : 'npm package'}`,
    `node: ${versions.node} (V8 ${versions.v8}, ${platform} ${arch})`,
    `commit: ${commit ?? 'not known'}`,
    `date: ${seconds === null ? 'not known' : new Date(seconds * 1000).toISOString().replace('.000', '')}`,
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
