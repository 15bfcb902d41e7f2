import fc from 'fast-check'

/** Any UTF-16 text, with a bias to what must not pass a channel: controls, sequences, bidi, lone surrogates, markup. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 8 }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        '\u001b[31m',
        '\u001b]0;title\u0007',
        '\u001b]8;;',
        '\u0007',
        '\u001b\\',
        '\u009b',
        '\u009b2J',
        '\u009d',
      ),
      fc.constantFrom(
        '\u0000',
        '\u0085',
        '\u202e',
        '\u2066',
        '\u2028',
        '\ufffe',
        '\ud800',
        '\udc00',
        '\r\n',
        '\n',
        '\t',
      ),
      fc.constantFrom(
        ']]>',
        '<![CDATA[',
        '<a>',
        '&amp;',
        '&#0;',
        '"',
        "'",
        '-->',
        '<?',
        '::',
        '::error::',
        '##vso[',
        '##[',
      ),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))
