/** Colours by meaning, for light and dark screens, and typefaces. */
export const PALETTE: string = String.raw`
:root {
  color-scheme: light dark;
  --ground: #f7f7f5; --surface: #ffffff; --sunken: #f1f1ee; --text: #1d1f22; --dim: #5a5f66; --line: #dedfdb;
  --link: #0b57b0; --focus: #0b57b0;
  --good: #14632d; --good-tint: #e4f2e7; --good-mark: #2c8a4b;
  --bad: #a01c1a; --bad-tint: #fcebe9; --bad-mark: #cf3b32;
  --warn: #7a4900; --warn-tint: #fbf0d9; --warn-mark: #d08a12;
  --fixed: #0b4f8f; --fixed-tint: #e4eff9; --fixed-mark: #2f7fcb;
  --waived: #5b3a99; --waived-tint: #efeaf9; --waived-mark: #8460c9;
  --mute: #555b62; --mute-tint: #ececea; --mute-mark: #a6abb0;
  --mono: ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'Liberation Mono', 'DejaVu Sans Mono', monospace;
  --sans: system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', Arial, sans-serif;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #141517; --surface: #1c1e21; --sunken: #17191b; --text: #e4e6e8; --dim: #a3a9b0; --line: #32353a;
    --link: #8db8f5; --focus: #8db8f5;
    --good: #8bd3a0; --good-tint: #19301f; --good-mark: #4ea56b;
    --bad: #ffa59d; --bad-tint: #3b1f1d; --bad-mark: #e0655b;
    --warn: #f0c374; --warn-tint: #35290f; --warn-mark: #cf9a32;
    --fixed: #93c4f6; --fixed-tint: #172a3e; --fixed-mark: #4a90d9;
    --waived: #cdb8f5; --waived-tint: #2b2342; --waived-mark: #9274d6;
    --mute: #b2b7bd; --mute-tint: #2a2d31; --mute-mark: #6d7379;
  }
}
`
