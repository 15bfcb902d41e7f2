/** That a file is not what it says it is. */
export class DamagedDatabase extends Error {}
