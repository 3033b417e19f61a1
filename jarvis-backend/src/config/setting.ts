import { z } from 'zod'

/** The headings of `docs/configure.md` that list settings. */
export const sections = ['Server', 'Proxy', 'Models', 'Memory', 'Cluster', 'Safety'] as const

type Meaning = {
  section: (typeof sections)[number]
  /** The default, in Markdown. */
  default: string
  /** The description in Markdown, one paragraph. */
  about: string
  /** A value as `.env` would hold it; empty for a secret. */
  example: string
}
/** A variable of the operating system that JARVIS also reads. No documentation page lists it. */
type OfTheSystem = { section?: undefined }

type Row<Schema extends z.ZodType = z.ZodType> = (Meaning | OfTheSystem) & {
  /** Reads the text, or undefined if the variable is absent or blank. A message continues a sentence that begins with the name. */
  schema: Schema
  /**
   * The value is a secret: no log, transcript or client may show it, and `settings.env` stores it sealed. A function returns the secrets within the
   * text, if not all of the text is secret.
   */
  secret?: true | ((text: string) => readonly string[])
  /** The value may be in quotes on purpose. In other settings, quotes stop the start, because `docker run --env-file` passes them on. */
  mayHaveQuotes?: true
  /**
   * If the environment sets a variable that matches this pattern, no saved variable that matches it is used, because a saved secret must not go to
   * another server.
   */
  countsWith?: RegExp
  /** A saved value that cannot be used stops the start, because without it JARVIS would act on another cluster or protect less. */
  stopsStart?: true
  /** Programs that JARVIS starts receive the variable. */
  isLent?: true
  /** The value's name in a form, for a person who does not see variables. */
  label?: string
}

/** A setting: a variable of the environment, of `.env` or of `settings.env`. */
export type Setting<Schema extends z.ZodType = z.ZodType> = { name: string } & Row<Schema>
/** Settings by name. */
export type SettingGroup = Readonly<Record<string, Setting>>
/** The values that a group's schemas return, by name. */
export type ValuesOf<Group extends SettingGroup> = { [Name in keyof Group]: z.output<Group[Name]['schema']> }

/** Declares settings: one row for each, by the variable's name. */
export const defineSettings = <Rows extends Record<string, Row>>(rows: Rows) =>
  Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, { name, ...row }])) as unknown as {
    readonly [Name in keyof Rows & string]: Rows[Name] & { name: Name }
  }

/** The schemas of a group as one object. */
export const schemaOf = <Group extends SettingGroup>(group: Group) =>
  z.object(Object.fromEntries(Object.values(group).map(({ name, schema }) => [name, schema]))) as unknown as z.ZodType<
    ValuesOf<Group>
  >

/** Values of settings that were read at the same time. */
export class SettingValues {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }

  /** The value of a setting. @throws Error if the setting is not registered */
  of<Schema extends z.ZodType>({ name }: Setting<Schema>): z.output<Schema> {
    if (!Object.hasOwn(this.#values, name)) throw new Error(`${name} is no registered setting.`)
    return this.#values[name] as z.output<Schema>
  }

  /** The values of a group by name. */
  in<Group extends SettingGroup>(group: Group): ValuesOf<Group> {
    return Object.fromEntries(
      Object.values(group).map((setting) => [setting.name, this.of(setting)]),
    ) as ValuesOf<Group>
  }
}

export type SettingsReading = { ok: true; values: SettingValues } | { ok: false; problem: string }

/** All settings, known before anything is opened. Code that must know every setting reads this list. */
export class Settings {
  readonly #rows = new Map<string, Setting>()
  readonly #schema: z.ZodType<Record<string, unknown>>

  /** @throws Error if two groups declare one name */
  constructor(groups: readonly SettingGroup[]) {
    for (const setting of groups.flatMap((group) => Object.values(group))) {
      if (this.#rows.has(setting.name)) throw new Error(`${setting.name} is declared twice.`)
      this.#rows.set(setting.name, setting)
    }
    this.#schema = schemaOf(Object.fromEntries(this.#rows))
  }

  list(): readonly Setting[] {
    return [...this.#rows.values()]
  }

  get(name: string): Setting | undefined {
    return this.#rows.get(name)
  }

  /** Reads all settings. A problem begins with the name of the first setting that cannot be used. */
  read(given: Readonly<Record<string, string | undefined>>): SettingsReading {
    const parsed = this.#schema.safeParse(given)
    if (parsed.success) {
      const absent = Object.fromEntries(this.list().map(({ name }) => [name, undefined]))
      return { ok: true, values: new SettingValues({ ...absent, ...parsed.data }) }
    }
    const [issue] = parsed.error.issues
    return { ok: false, problem: `${String(issue?.path[0])} ${issue?.message}.` }
  }

  /** The secrets in an environment's values of settings. */
  secretsIn(given: Readonly<Record<string, string | undefined>>): string[] {
    return this.list().flatMap(({ name, secret }) => {
      const text = given[name]
      if (secret === undefined || text === undefined) return []
      return secret === true ? [text] : secret(text)
    })
  }

  /** Tells if a variable is a setting of JARVIS's own, which no other program or server receives. */
  isOwn(name: string): boolean {
    const setting = this.#rows.get(name)
    if (setting?.isLent === true) return false
    return setting !== undefined || ownNames.test(name)
  }

  /** The `countsWith` patterns: variables that match the same pattern count together. */
  groups(): readonly RegExp[] {
    return [...new Set(this.list().flatMap(({ countsWith }) => countsWith ?? []))]
  }
}

const ownNames = /^(?:JARVIS_|PVE_|CREDENTIALS_DIRECTORY$|(?:https?|all|no)_proxy$)/i
