import { equals } from '../../settings/formats/equals.ts'
import type { Format } from '../../settings/formats/format.ts'
import { ini } from '../../settings/formats/ini.ts'
import { json } from '../../settings/formats/json.ts'
import { properties } from '../../settings/formats/properties.ts'
import { shell } from '../../settings/formats/shell.ts'
import { space } from '../../settings/formats/space.ts'
import { toml } from '../../settings/formats/toml.ts'

/** The formats for an arbitrary file. */
export const FORMATS = ['space', 'equals', 'ini', 'properties', 'shell', 'toml', 'json', 'yaml'] as const

/** One of `FORMATS`. */
export type FormatName = (typeof FORMATS)[number]

/** The format of that name. The parser of documents is loaded on first use. */
export function formatNamed(name: FormatName): Format | Promise<Format> {
  return name === 'yaml' ? import('../../settings/formats/yaml.ts').then(({ yaml }) => yaml) : FORMAT_OF[name]
}

/** A format that needs no asynchronous loading. */
export type SurfaceFormat = Exclude<FormatName, 'yaml'>

export const FORMAT_OF: Readonly<Record<SurfaceFormat, Format>> = {
  space,
  equals,
  ini,
  properties,
  shell,
  toml,
  json,
}
