import { JarvisError, type Principal } from 'protocol'
import type { Agent, Agents } from '../../agents/agent.ts'
import type { Model, ModelChoice } from '../model.ts'
import type { Origin } from '../origin.ts'
import type { Prompts, ToolFacts } from '../ports.ts'
import { principalOf, rightsOf } from '../principal.ts'
import { formatWords, withWishes } from '../program.ts'
import type { Run, RunBasis, RunProfile } from '../run.ts'
import type { TranscriptStore } from '../sessions/transcript-store.ts'
import { refusalOf } from './child.ts'

/** Determines a run’s principal, profile, model and maximum number of turns. */
export class RunFacts {
  readonly #store: Pick<TranscriptStore, 'session' | 'childRuns'>
  readonly #models: ModelChoice
  readonly #agents: Pick<Agents, 'find'>
  readonly #prompts: Pick<Prompts, 'profile'>
  readonly #tools: ToolFacts

  constructor(parts: {
    store: Pick<TranscriptStore, 'session' | 'childRuns'>
    models: { readonly choice: ModelChoice }
    agents: Pick<Agents, 'find'>
    prompts: Pick<Prompts, 'profile'>
    toolFacts: ToolFacts
  }) {
    this.#store = parts.store
    this.#models = parts.models.choice
    this.#agents = parts.agents
    this.#prompts = parts.prompts
    this.#tools = parts.toolFacts
  }

  /** Returns the profile. It is made when work on the run begins, and stays the same until the run ends. */
  profileOf(run: RunBasis): RunProfile {
    return run.profile(() => {
      const askedBy = run.origin.kind === 'child' ? { askedBy: run.origin.for } : {}
      const session = this.#store.session(run.row.sessionId)
      return this.#offered(run, this.#prompts.profile({ ...session, agent: run.agent, ...askedBy }))
    })
  }

  /**
   * Returns the profile with only the tools that the run may call, so that its model does not try others. For a program’s run, also adds the
   * program’s wishes, tools and settings.
   */
  #offered({ origin }: RunBasis, profile: RunProfile): RunProfile {
    const refusal = this.refusalIn({ origin })
    const tools =
      refusal === undefined ? profile.tools : profile.tools.filter(({ name }) => refusal(name) === undefined)
    if (origin.kind !== 'v1') return { ...profile, tools }
    const { wishes, effort, mostTokens, toolChoice, format } = origin
    const prompt = withWishes(profile.prompt, wishes)
    return {
      ...profile,
      prompt: format === undefined ? prompt : `${prompt}\n\n${formatWords}`,
      tools: [...tools.filter(({ name }) => !isOfProgram(origin, name)), ...(origin.tools ?? [])],
      effort: effort ?? profile.effort,
      mostTokens:
        mostTokens === undefined ? profile.mostTokens : Math.min(mostTokens, profile.mostTokens ?? mostTokens),
      toolChoice: toolChoice ?? profile.toolChoice,
      format: format ?? profile.format,
    }
  }

  /**
   * Returns a function that gives the reason why a run may not call a tool, in addition to the gate’s judgement. Undefined: the run may call all
   * tools.
   */
  refusalIn({ origin }: Pick<Run, 'origin'>): ((toolName: string) => string | undefined) | undefined {
    if (origin.kind !== 'child' && origin.kind !== 'v1') return undefined
    return (name) => {
      if (isOfProgram(origin, name))
        return `The program has a tool ${name} of its own, which runs there. JARVIS's own of that name is not part of this answer.`
      if (origin.isReadOnly && !this.#tools.isRead(name)) return `This token may only read, and ${name} is not a read.`
      if (origin.kind === 'child') return refusalOf(origin, name, (tool) => this.#tools.mayChild(tool))
      // The person behind a program is not in the dashboard, so JARVIS cannot ask them a question.
      return this.#tools.asks(name) ? `${name} asks the operator, and nobody is there to answer a program.` : undefined
    }
  }

  /**
   * Returns the runs in which a denial also applies to this run: the run itself and its child runs; for a child run, its parent and all child runs
   * of that parent.
   */
  kinOf({ row, origin }: Pick<Run, 'row' | 'origin'>): string[] {
    const root = origin.kind === 'child' ? origin.parent : row.id
    return [root, ...this.#store.childRuns(row.sessionId, root).map(({ id }) => id)]
  }

  /** Returns the maximum number of turns of a run: one for a command or a client’s call. */
  turnsOf(run: RunBasis): number {
    return rightsOf(this.principalIn(run)).hasModel ? this.profileOf(run).limits.turns : 1
  }

  principalIn(run: Pick<Run, 'origin' | 'agent' | 'failed'>): Principal {
    return principalOf(run.origin, this.modelOf(run).id, run.agent)
  }

  /** Returns the model that answers: the model that replaced a failed one, otherwise the run’s own model. */
  modelOf(run: Pick<Run, 'origin' | 'agent' | 'failed'>): Model {
    const standIn = run.failed && this.#models.named(run.failed.standIn)
    return standIn ?? this.ownModelOf(run)
  }

  /** Returns the agent’s own model, otherwise the model chosen for the run. If that model is no longer configured, returns the model in use. */
  ownModelOf(run: Pick<Run, 'origin' | 'agent'>): Model {
    const chosen = this.#agents.find(run.agent)?.model ?? chosenFor(run.origin)
    return (chosen === undefined ? undefined : this.#models.named(chosen)) ?? this.#models.current()
  }

  /**
   * Returns the model of a run’s next turn. If the chosen model is not configured any more, tells the person which model answers instead.
   * @throws JarvisError `unknown_agent` if the run’s agent was removed. Also if the agent has a model of its own that is not configured any more: no
   * other model may read that agent’s conversation
   */
  modelFor(run: Run): Model {
    const own = this.#requireAgent(run).model
    if (own !== undefined && this.#models.named(own) === undefined) {
      throw new JarvisError(
        'unknown_agent',
        `${run.agent} answers with ${own}, which is not configured any more. Configure it, or give ${run.agent} another model.`,
      )
    }
    const model = this.modelOf(run)
    if (model.id === run.failed?.standIn) return model
    const chosen = own ?? chosenFor(run.origin)
    const message = `${chosen} is not configured any more; ${model.id} answers.`
    if (chosen !== undefined && model.id !== chosen && run.notice?.message !== message) run.tell(message)
    return model
  }

  /** Returns the run’s agent. @throws JarvisError `unknown_agent` if the agent was removed; the run does not continue as `main` */
  #requireAgent({ agent }: Run): Agent {
    const found = this.#agents.find(agent)
    if (found !== undefined) return found
    throw new JarvisError(
      'unknown_agent',
      `The agent ${agent} is gone, so this answer ends here, and nothing was run as another one. Begin a new conversation.`,
    )
  }
}

/** True if the program that asked has a tool with this name. JARVIS’s own tool with the same name is then left out of the run. */
export const isOfProgram = (origin: Origin, name: string): boolean =>
  origin.kind === 'v1' && origin.tools?.some((tool) => tool.name === name) === true

const chosenFor = (origin: Origin) => ('model' in origin ? origin.model : undefined)
