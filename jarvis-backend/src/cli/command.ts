import type { Config } from '../config/config.ts'
import { readSealedConfig, readStartConfig } from '../config/settings-file.ts'
import { type Input, readOptions } from './options.ts'

/** The headings of the help, in its order. */
export const groups = ['Talk', 'Look', 'Decide', 'Watch over it', 'Programs', 'Set up', 'Data'] as const

/** One option. `value`: the name of its value, in capitals; absent: the option is a switch. */
type OptionSpec = { type: 'string' | 'boolean'; short?: string; multiple?: boolean; value?: string; about: string }
type Options = Readonly<Record<string, OptionSpec>>
/** The type of the option values that `Specs` declares. */
type ValuesOf<Specs extends Options> = {
  [Name in keyof Specs]?: Specs[Name] extends { type: 'boolean' }
    ? boolean
    : Specs[Name] extends { multiple: true }
      ? string[]
      : string
}

type Spec<Specs extends Options> = {
  name: string
  group: (typeof groups)[number]
  /** The ways to write the command. `args`: the arguments after its name, as the help shows them. `about`: the effect of this form. */
  forms: readonly { args: string; about: string }[]
  options: Specs
  /** A whole command line without the word `jarvis`. */
  example?: string
  /** A further paragraph of the help. */
  note?: string
}

type Env = Record<string, string | undefined>
/** A typed command line. `env`: the environment including `.env`; `outside`: the environment without it. */
export type Typed = { args: string[]; env: Env; outside: Env; commands: Commands }

type Run<Specs extends Options> =
  | {
      /** Runs with the configuration. Import here modules that other commands do not need, so that those start faster. */
      run(config: Config, input: Input<ValuesOf<Specs>>): void | Promise<void>
      /**
       * The command uses saved secrets. Other commands also run if the key of the secrets is missing: if only the service has the key, or if the key
       * was lost.
       */
      opensSecrets?: true
    }
  | {
      /** Runs before the configuration is read, for commands that do not need it, or must work if it is broken. `input` parses the arguments. */
      runEarly(typed: Typed & { input(): Input<ValuesOf<Specs>> }): void | Promise<void>
      /** The command parses its arguments itself, including `--help`. */
      hasOwnHelp?: true
    }

/** A command as the registry stores it. The help, the completions, `docs/command-line.md` and the parsing of options are made from it. */
export type Command = Spec<Options> & { hasOwnHelp: boolean; run(typed: Typed): Promise<void> }

/** Declares a command. A command can be listed without a running server. */
export function defineCommand<const Specs extends Options>(command: Spec<Specs> & Run<Specs>): Command {
  const { name, group, forms, options, example, note } = command
  const parsed = (args: string[]) => readOptions(args, options) as Input<ValuesOf<Specs>>
  return {
    name,
    group,
    forms,
    options,
    example,
    note,
    hasOwnHelp: 'hasOwnHelp' in command && command.hasOwnHelp === true,
    async run(typed) {
      if ('runEarly' in command) return command.runEarly({ ...typed, input: () => parsed(typed.args) })
      const config = (command.opensSecrets === true ? readStartConfig : readSealedConfig)(typed.env)
      return command.run(config, parsed(typed.args))
    },
  }
}

/** All commands, in the order of the help. */
export class Commands {
  readonly #byName: ReadonlyMap<string, Command>

  /** @throws Error if two commands have one name */
  constructor(all: readonly Command[]) {
    this.#byName = new Map(all.map((command) => [command.name, command]))
    const twice = all.find((command) => this.#byName.get(command.name) !== command)
    if (twice !== undefined) throw new Error(`${twice.name} is declared twice.`)
  }

  list(): readonly Command[] {
    return [...this.#byName.values()]
  }

  names(): readonly string[] {
    return [...this.#byName.keys()]
  }

  get(name: string): Command | undefined {
    return this.#byName.get(name)
  }
}

export const text = (value: string, about: string) => ({ type: 'string', value, about }) as const
export const flag = (about: string) => ({ type: 'boolean', about }) as const

export const url = text('URL', 'another JARVIS, after `jarvis login --url URL`')
export const json = flag('one JSON value on standard output, for programs')
export const model = text('NAME/MODEL', 'answers in place of the model in use; `jarvis models` lists them')
export const wait = text('10m', 'how long to wait for the end: 30s, 10m, 2h')
export const where = { url, json }
