/**
 * What looks like nothing, like a blank, or like something else than it is: controls, format characters (bidirectional overrides, zero
 * width), separators and blanks other than the space, what is to be ignored by default, code points that are no characters, and halves
 * of surrogate pairs, which stand for bytes that are no text.
 */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{DI}\p{NChar}\u2800]|(?! )\p{Zs}/gu
