import { readFileSync } from 'node:fs'
import { hostname, release } from 'node:os'
import type { TargetSystem } from '../target.ts'
import { errorCode } from './system-error.ts'

// The first that exists counts. @see os-release(5)
const OS_RELEASE_FILES = ['/etc/os-release', '/usr/lib/os-release']

/** What this machine is; the platform's own name and release where it has no os-release file. */
export function describeSystem(): TargetSystem {
  const fields = parseOsRelease(readFirst(OS_RELEASE_FILES))
  return {
    platform: process.platform,
    hostname: hostname(),
    os: { id: fields.get('ID') ?? process.platform, version: fields.get('VERSION_ID') ?? release() },
  }
}

/** The assignments of an os-release file, quotes and backslashes taken away as a shell would. @see os-release(5) */
export function parseOsRelease(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [, name, value] = /^\s*([A-Za-z_0-9]+)=(.*?)\s*$/.exec(line) ?? []
    if (name !== undefined && value !== undefined) fields.set(name, unquote(value))
  }
  return fields
}

function unquote(value: string): string {
  const quote = value.charAt(0)
  if (quote === "'" && value.endsWith("'")) return value.slice(1, -1)
  const bare = quote === '"' && value.length > 1 && value.endsWith('"') ? value.slice(1, -1) : value
  return bare.replace(/\\(.)/g, '$1')
}

function readFirst(files: readonly string[]): string {
  for (const file of files) {
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      if (errorCode(error) === undefined) throw error
    }
  }
  return ''
}
