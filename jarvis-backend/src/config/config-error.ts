/** A setting that cannot be used. `message` is one line: the setting's name, the mistake, an example. */
export class ConfigError extends Error {}
