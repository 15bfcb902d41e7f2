import { functionTable, type TemplateFunction } from '../functions.ts'
import { DATE_FUNCTIONS } from './dates.ts'
import { DECIMAL_FUNCTIONS } from './decimal.ts'
import { DEFAULT_FUNCTIONS } from './defaults.ts'
import { DICTIONARY_FUNCTIONS } from './dictionaries.ts'
import { ENCODING_FUNCTIONS } from './encoding.ts'
import { FLOW_FUNCTIONS } from './flow.ts'
import { LIST_FUNCTIONS } from './lists.ts'
import { LIST_EDIT_FUNCTIONS } from './list-edits.ts'
import { MATH_FUNCTIONS } from './math.ts'
import { MERGE_FUNCTIONS } from './merge.ts'
import { PATH_FUNCTIONS } from './paths.ts'
import { REFLECTION_FUNCTIONS } from './reflection.ts'
import { REGEX_FUNCTIONS } from './regex.ts'
import { SEMVER_FUNCTIONS } from './semver.ts'
import { STRING_FUNCTIONS } from './strings.ts'
import { TEXT_FORM_FUNCTIONS } from './text-forms.ts'
import { URL_FUNCTIONS } from './urls.ts'

export { UNSUPPORTED_SPRIG } from './unsupported.ts'

/** Functions of sprig v3.3.0 whose results depend only on their arguments, by name. */
export const SPRIG: ReadonlyMap<string, TemplateFunction> = functionTable(
  DATE_FUNCTIONS,
  DECIMAL_FUNCTIONS,
  DEFAULT_FUNCTIONS,
  DICTIONARY_FUNCTIONS,
  ENCODING_FUNCTIONS,
  FLOW_FUNCTIONS,
  LIST_FUNCTIONS,
  LIST_EDIT_FUNCTIONS,
  MATH_FUNCTIONS,
  MERGE_FUNCTIONS,
  PATH_FUNCTIONS,
  REFLECTION_FUNCTIONS,
  REGEX_FUNCTIONS,
  SEMVER_FUNCTIONS,
  STRING_FUNCTIONS,
  TEXT_FORM_FUNCTIONS,
  URL_FUNCTIONS,
)

/** Functions that change their dict argument. */
export const MUTATING_FUNCTIONS: ReadonlySet<string> = new Set([
  'set',
  'unset',
  'merge',
  'mustMerge',
  'mergeOverwrite',
  'mustMergeOverwrite',
])
