import type { CallOptions } from 'homelab-ports/ports'
import type {
  Asking,
  ClusterState,
  FileDiff,
  ImageType,
  PlanFacts,
  Principal,
  QuestionResolution,
  Target,
  Tier,
  TodoItem,
  ToolInput,
  View,
} from 'protocol'
import type { z } from 'zod'
import type { Becomes, Effect, Ending, Touch } from '../gate/effect.ts'
import type { ArgumentRaise } from '../gate/raises.ts'
import type { World } from '../gate/world.ts'
import type { Need } from '../homelab/pve/rights.ts'

export type ToolImage = { mimeType: ImageType; data: Buffer }

/** A file that another program sent. `name`: as that program wrote it, so it may be any text. */
export type ReceivedFile = { name: string; data: Buffer }

export type ToolOutput = {
  /** The text that the model reads: compact, with units that people use. */
  text: string
  /** A one-line summary for a person. */
  summary: string
  /** The same content as structured data, for the dashboard and MCP. */
  data?: Record<string, unknown>
  /** Images of the output. `text` names each image, for models that accept only text. */
  images?: readonly ToolImage[]
  /** Files that the call wrote in the session's own folder, as paths in it: `report.md`. */
  files?: readonly string[]
  /** Files that the tool received from elsewhere. They are kept in the session's own folder, and `text` then names them. */
  received?: readonly ReceivedFile[]
  isError?: boolean
  /** The model's own todo list, which the transcript keeps as an entry. */
  todo?: readonly TodoItem[]
}

/** The circumstances of one call. */
export type ToolContext = Required<CallOptions> & {
  /** True if an MCP client or a program makes the call: its arguments are then not the operator's words. */
  isForeign?: boolean
  /** True if a model of JARVIS makes the call. */
  hasModel?: boolean
  /** The target by which the gate judged the call, and which the card showed. */
  target?: Target
  /** The preview that `prepare` made for the call. */
  preview?: Preview
  /** Set if JARVIS takes the change back by itself `afterMs` from now, unless a person keeps the change. `id`: the change's id. */
  goesBack?: { id: string; afterMs: number }
  /** The id of the change that this call takes back, if the node has a timer that would take it back by itself. */
  timerOf?: string
  toolUseId?: string
  /** Hashes of the skills whose text is in the asker's context, by the skill's name. */
  loadedSkills?(): ReadonlyMap<string, string>
  /** The principal that makes the call. */
  asker?: Principal
  sessionId?: string
  runId?: string
  /** The person who approved this call, or made the grant that lets it run. */
  approvedBy?: string
  /** Tells if the asker read strangers' texts before the call, and the call contains more than the operator's own words. */
  repeatsOthers?: (() => boolean) | undefined
  /**
   * Asks the operator, and waits until the question ends or `signal` withdraws it. The wait does not count toward the tool's timeout. Absent if no
   * operator is there.
   */
  ask?: (asking: Asking, signal?: AbortSignal) => Promise<QuestionResolution>
  /** Returns the part of the cluster that the person in whose name the call is made may see. Absent: the whole cluster. */
  sees?(state: ClusterState): ClusterState
}

/** The circumstances of a preparation. A tool that reads more than the call's own target reads only what the person and agent in `Whose` may see. */
export type PrepareContext = Pick<ToolContext, 'signal' | 'sessionId'> & Whose
/**
 * The agent that asks (`agent`), the agent that delegated the work to it (`for`), and the person in whose name the call is made. Absent: the agent
 * main, and the first owner. `isClient`: an MCP client or a program asks, so it may use no attached server.
 */
export type Whose = Pick<Principal, 'agent' | 'for' | 'person'> & { isClient?: true }

/** The call that takes a change back, composed before the change is made. */
export type Undo =
  | {
      kind: 'call'
      toolName: string
      input: ToolInput
      /** A sentence for people: which values the undo restores. */
      sentence: string
      /** Unix ms after which the change can no longer be taken back. */
      until?: number
      /** A sentence for people: what is lost if the change is taken back. */
      loses?: string
      /** The state that the target must still have; otherwise the undo is refused. */
      expects?: Partial<Pick<Target, 'status' | 'node'>>
    }
  /** `because`: the reason why there is no undo, one sentence. `losesNothing`: nothing is lost by the change, so the card does not warn. */
  | { kind: 'none'; because: string; losesNothing?: true }

/** The facts that a tool reads from the cluster before the call is judged. Names in them are quoted. */
export type Preview = {
  /** Replaces the card's usual words about the present state. */
  now?: string
  then?: string
  affects?: string
  undo: Undo
  /** The files that the call changes. */
  diff?: readonly FileDiff[]
  /** Digests of the facts that an approval rests on, by name: `{ configuration: digest }`. If a digest has changed, the call asks a person again. */
  basis?: Readonly<Record<string, string>>
  /** Same as `Effect.becomes`, for facts about the guest that had to be read first, such as the tags in a backup. */
  becomes?: Becomes
  /** `false`: JARVIS never takes the change back by itself, such as a change of disks or of a guest's networks. */
  mayGoBack?: false
  /**
   * The node that takes the change back with a timer of its own, if the change is approved to go back. The timer runs on the node because the change
   * may cut JARVIS off.
   */
  timerOn?: string
  /** A call that JARVIS makes later by itself and that the card announces: the deletion of a safety snapshot. `at`: Unix ms. */
  later?: { toolName: string; input: ToolInput; at: number; sentence: string }
  /** The calls that this call starts. This call is judged as strictly as the strictest of them, and refused if one of them would be refused. */
  leads?: Leads
}

/** A plan: calls that run one after the other once this call has begun. Each call passes the gate. */
export type Leads = {
  facts: Omit<PlanFacts, 'id'>
  /**
   * `at`: the call's name in a refusal. `isLater`: the call depends on the change of an earlier call, so it is judged and asks only when its turn
   * comes.
   */
  calls: readonly { number: number; toolName: string; toolInput: ToolInput; at: string; isLater?: true }[]
  /** The results from which the calls were composed. */
  read: readonly { toolName: string; toolUseId: string; text: string; asked: ToolInput }[]
  /** The person's own text that contains the calls. Absent if the asker composed the calls. */
  said?: string
  /** The hash of the text that contains the calls, and the last person who wrote it, if known. */
  text?: { hash: string; writtenBy?: string }
  /** Time after the approval within which a call may still begin, ms. */
  maxAgeMs: number
  /** JSON for the part of JARVIS that runs the plan. */
  script: unknown
}

/** A group of tools that need one ability of the cluster. The tools are not offered while the cluster cannot serve the group. */
export type Group = { name: string; isServed(state: ClusterState): boolean }

/** `hash`: the hash of the tool's definition. `inputSchema`: the schema as the server sent it. `listed`: values that the schema itself names. */
export type Attached = {
  server: string
  hash: string
  inputSchema: Record<string, unknown>
  listed: ReadonlySet<string>
}

/**
 * A tool and its effects. The gate, cards, journal and recovery know a tool only by this definition.
 * @typeParam Ports the parts that `run` acts through; `withPorts` binds them
 */
export type ToolDefinition<Input extends z.ZodObject = z.ZodObject, Ports = unknown> = {
  name: string
  /** The name for people: `Restart a virtual machine`. */
  title: string
  /** Text for a model: what the tool does, when to use it, what it returns. */
  description: string
  /** The base tier: rules may only raise it. */
  tier: Tier
  timeoutMs: number
  /** A strict object: an unknown key is refused, not stripped. Loose only if an attached tool's schema says so. */
  input: Input
  /** A typical call. Tests make it through every door. The example of a tool over the homelab must have a result on the demo cluster. */
  example?: z.input<Input>
  /** The schema of `data` if the call did not fail. Later versions may add keys. */
  output?: z.ZodObject
  /** The view in which the dashboard draws a call. If set, `output` has the form of that view's data. */
  view?: View
  /** Every kind of effect that a call may have. A call with an undeclared effect asks a person. */
  touches: readonly Touch[]
  /**
   * For a tool that reads the site: the part of the cluster that its answer shows. JARVIS needs it for people who may see only a part.
   * `conversation`: nothing of the cluster. `seen`: the part that `context.sees` returns. A number: the guest with that VMID. Absent: the whole
   * cluster.
   */
  shows?: 'conversation' | 'seen' | ((input: z.output<Input>) => number)
  /**
   * Returns the effects of one call, the main effect first. If it returns none or throws, the call asks a person. It reads from the ports only facts
   * that are already known. `ports` is undefined while a policy file is judged against the journal, because no JARVIS runs then.
   * @throws Mistake for arguments that the caller can correct
   */
  effects(input: z.output<Input>, world: World, ports: Ports): readonly Effect[]
  /**
   * Reads what a change would affect. Called before the call is judged, and again when the call's turn comes. Changes nothing.
   * @throws Mistake if the call cannot work, such as a name in use or a storage without space; JarvisError
   */
  prepare?(input: z.output<Input>, context: PrepareContext, ports: Ports): Promise<Preview>
  /**
   * Returns the call that takes a change back. A tool with `prepare` returns it in the preview instead. If a tool has neither, nothing takes the
   * change back.
   */
  undo?(input: z.output<Input>, world: World): Undo
  /** Returns the id of the recorded change that a call takes back. */
  undoes?(input: z.output<Input>): string
  /** Cases in which the arguments raise the tier by an effect's `atLeast`, each in a few words: `description and tags`. */
  raises?: readonly ArgumentRaise[]
  /** The tool's effects are refused unless `policy.yaml` names the tool under `enable`. */
  isOptIn?: true
  /** Returns the call that runs in place of this call. Its effects must be among this call's effects. */
  standsFor?(input: z.output<Input>, ports: Ports): { tool: StandIn; input: ToolInput }
  /** Absent: the tool is always offered. */
  group?: Group
  /** Tells how to find the outcome of a change whose answer was lost. Absent: the outcome cannot be found. */
  ending?(input: z.output<Input>, ports: Ports): Ending
  /** JARVIS composes the tool's answers, so other people's text occurs in them only as names. */
  isComposed?: true
  /**
   * JARVIS's own words in the tool's answers name no tool that changes something. If an answer names such a tool, the name comes from an error's
   * text.
   */
  namesNoChange?: true
  /** The tool's data lists things of the cluster by name and id, so that a call may choose its target from the list. */
  lists?: true
  /** The tool's answers are addresses that a search found. A call may request these addresses unchanged. */
  givesAddresses?: true
  /** The tool reads or writes JARVIS's memory, so an agent without a memory may not use it. */
  remembers?: true
  /** The tool's answers repeat earlier conversations, including the operator's words. */
  recalls?: true
  /**
   * Returns the id of the call whose result the tool's answer repeats in part. If that result is known, the taint check looks only at that result.
   */
  rereads?(input: z.output<Input>): string
  /** The tool's answers are complete texts that an operator approved. They are neither a stranger's words nor an order given now. */
  isApprovedText?: true
  /** The tool starts calls of other runs, so it cannot be a step of a plan, and no child run may call it. */
  startsPlan?: true
  /** The tool only asks the operator. It is offered only if an operator is there, and it cannot be a step of a plan. */
  asks?: true
  /**
   * The tool only waits for something that continues after a restart, so a stop of JARVIS does not wait for the call. The tool must be green and
   * safe to repeat.
   */
  outlives?: true
  /** Returns the names of the tools that the calls of its plan would use, as far as the arguments name them. Never throws. */
  leadsTo?(input: ToolInput): readonly string[]
  /** The tool acts on the conversation that calls it, so it cannot be a step of a plan. */
  isOfChat?: true
  /** The rights that the Proxmox token must have. Absent if the tool does not use the Proxmox API. */
  needs?: readonly Need[]
  /** Set if the tool belongs to an attached MCP server. */
  attached?: Attached
  run(input: z.output<Input>, context: ToolContext, ports: Ports): Promise<ToolOutput>
}

/** A tool with its ports. Only `execute.ts` calls `run`. */
export type Tool = Omit<ToolDefinition, 'run' | 'prepare' | 'effects' | 'ending' | 'standsFor'> & {
  effects(input: Record<string, unknown>, world: World): readonly Effect[]
  prepare?(input: Record<string, unknown>, context: PrepareContext): Promise<Preview>
  ending?(input: Record<string, unknown>): Ending
  standsFor?(input: Record<string, unknown>): { tool: StandIn; input: ToolInput }
  run(input: Record<string, unknown>, context: ToolContext): Promise<ToolOutput>
}

/**
 * A tool without its ports, for code that works without a running JARVIS. `effects` then gets no ports, so a call of a tool that needs them asks a
 * person.
 */
export type Declaration = Omit<ToolDefinition, 'run' | 'prepare' | 'effects' | 'ending'> & {
  effects(input: Record<string, unknown>, world: World, ports?: unknown): readonly Effect[]
  ending?(input: Record<string, unknown>, ports?: unknown): Ending
}

/** The tool that runs in place of another tool. */
export type StandIn = Pick<Tool, 'name' | 'tier' | 'run' | 'remembers'>

/**
 * Gives `run` and `effects` the types of their arguments, and erases these types for the catalog. That is safe, because the gate parses the input
 * before it calls them.
 */
export const toolOver =
  <Ports>() =>
  <Input extends z.ZodObject>(tool: ToolDefinition<Input, Ports>): ToolDefinition<z.ZodObject, Ports> =>
    tool as unknown as ToolDefinition<z.ZodObject, Ports>

/** Defines a tool without ports. */
export const defineTool = <Input extends z.ZodObject>(tool: ToolDefinition<Input, void>): Tool =>
  tool as unknown as Tool

/** Binds tools to their ports. */
export const withPorts = <Ports>(tools: readonly ToolDefinition<z.ZodObject, Ports>[], ports: Ports): Tool[] =>
  tools.map(({ run, prepare, effects, ending, standsFor, ...tool }) => ({
    ...tool,
    effects: (input, world) => effects(input, world, ports),
    run: (input, context) => run(input, context, ports),
    ...(prepare && { prepare: (input, context) => prepare(input, context, ports) }),
    ...(ending && { ending: (input) => ending(input, ports) }),
    ...(standsFor && { standsFor: (input) => standsFor(input, ports) }),
  }))
