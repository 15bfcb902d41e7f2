/**
 * Characters that are invisible, look like a blank or disguise text: controls, format characters (bidirectional
 * overrides, zero width), separators, blanks other than the space, characters ignored by default, code points that are
 * not characters, and lone surrogates, which represent bytes that are not valid UTF-8.
 */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{DI}\p{NChar}\u2800]|(?! )\p{Zs}/gu
