// The default theme without its web fonts: pages use the fonts of the reader's system.
export { default } from 'vitepress/theme-without-fonts'
