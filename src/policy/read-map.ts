import { resolve } from 'node:path'
import type { DataMap } from '../data/merge.ts'
import { parseFacts } from '../facts/custom.ts'
import { fetchText } from '../fetch/fetch-text.ts'
import { isAddress } from '../fetch/remote.ts'
import { readTextFile } from '../fetch/text-file.ts'

/** The map a file or address holds, or what is wrong with it. */
export async function readMap(source: string): Promise<DataMap | string> {
  const text = await readText(source)
  if ('message' in text) return text.message
  const parsed = parseFacts(text.text)
  return parsed.ok ? parsed.value : `${withoutCredentials(source)}: ${parsed.message}`
}

/** The text of a file or address, or what is wrong with it. */
export async function readText(source: string): Promise<{ readonly text: string } | { readonly message: string }> {
  try {
    return { text: isAddress(source) ? await fetchText(source) : readTextFile(resolve(source)) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { message: `${withoutCredentials(source)} cannot be read: ${reason}` }
  }
}

/** The name of a file or address without the password in it. */
export function withoutCredentials(source: string): string {
  return isAddress(source) ? source.replace(/^([^/]*\/\/)[^/@]*@/, '$1') : source
}
