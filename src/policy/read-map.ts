import { resolve } from 'node:path'
import type { DataMap } from './data/merge.ts'
import { parseFacts } from './facts/custom.ts'
import { checkOfPin, fetchText, textOf } from './fetch/fetch-text.ts'
import { isAddress } from './fetch/remote.ts'
import { isKeyAddress, parseNatsAddress } from '../host/nats/address.ts'
import type { Nats } from '../host/nats/nats.ts'
import type { RemoteSources } from './template/remote-values.ts'
import { readTextFile } from './fetch/text-file.ts'

/** The map in a file or at a URL, or the problem. */
export async function readMap(source: string, nats: Nats): Promise<DataMap | string> {
  const text = await readText(source, nats)
  if ('message' in text) return text.message
  const parsed = parseFacts(text.text)
  return parsed.ok ? parsed.value : `${withoutCredentials(source)}: ${parsed.message}`
}

/** The text of a file or URL, or the problem. */
export async function readText(source: string, nats: Nats): Promise<ReadText> {
  try {
    if (isKeyAddress(source)) return { text: await fetchValue(source, nats) }
    if (/^https?:/i.test(source)) return { text: await fetchText(source) }
    if (!/^[a-z][a-z\d+.-]*:\/\//i.test(source)) return { text: readTextFile(resolve(source)) }
    throw new Error(`unsupported hiera data source: name a path, or an address of http, https or kv`)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { message: `${withoutCredentials(source)} cannot be read: ${reason}` }
  }
}

type ReadText = { readonly text: string } | { readonly message: string }

async function fetchValue(source: string, nats: Nats): Promise<string> {
  const address = parseNatsAddress(source, 'kv hiera data source')
  if ('message' in address) throw new Error(address.message)
  const { bucket, key, fragment } = address
  const check = checkOfPin(fragment)
  const fetched = await nats.value(bucket, key)
  if ('message' in fetched) throw new Error(fetched.message)
  if (fetched.value.length === 0) throw new Error(`kv ${bucket}#${key} is empty`)
  return textOf(check(fetched.value))
}

/** The data sources of templates that query a server. */
export function remoteSources({ value, registered }: Nats): RemoteSources {
  return {
    registered,
    async value(bucket, key) {
      const fetched = await value(bucket, key)
      if ('message' in fetched) return fetched
      try {
        return { value: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fetched.value) }
      } catch {
        return { message: 'its value is not UTF-8 text' }
      }
    },
  }
}

/** The name of a file or URL without its password. */
export function withoutCredentials(source: string): string {
  return isAddress(source) ? source.replace(/^([^/]*\/\/)[^/@]*@/, '$1') : source
}
