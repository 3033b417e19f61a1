/** A setting that cannot be used. `message` is one line: its name, what is wrong, an example. */
export class ConfigError extends Error {}
