import { firstOf } from 'node-kit/words'
import { JarvisError } from 'protocol'
import { unknownWriter } from '../../agent/principal.ts'
import { dailyAddition, ownHeading } from '../../memory/daily.ts'
import type { Watch } from '../../watch/watch.ts'
import type { Workspace } from '../../workspace/files.ts'
import { hashOfText, type Writers } from '../../workspace/text-files.ts'
import type { Findings, HeartbeatFiles } from '../heartbeat.ts'

/** The findings of the watch: alerts that are not silenced or acknowledged, and that no other alert explains. */
export class WatchFindings implements Findings {
  readonly #watch: Pick<Watch, 'alerts' | 'checks' | 'checkNow'>

  constructor(watch: Pick<Watch, 'alerts' | 'checks' | 'checkNow'>) {
    this.#watch = watch
  }

  present(): ReturnType<Findings['present']> {
    const told = this.#watch
      .alerts()
      .filter(
        ({ state, hiddenBy, silenced, acknowledged }) => state !== 'pending' && !hiddenBy && !silenced && !acknowledged,
      )
    const unseen = this.#watch
      .checks()
      .items.filter(({ state }) => state === 'unknown')
      .map(({ id }) => id)
    return {
      items: told.map(({ check, object, severity, sentence }) => ({
        key: `${check} ${object.id} ${severity}`,
        line: `${severity}: ${sentence}`,
      })),
      unseen: unseen.length === 0 ? undefined : firstOf(unseen, 5),
    }
  }

  lookNow(): Promise<void> {
    return this.#watch.checkNow()
  }
}

export type WorkspaceFilesParts = {
  workspace: Pick<Workspace, 'read' | 'append' | 'tail'>
  writers: Writers
  redact(text: string): string
}

/** Reads the heartbeat's files in the workspace, and appends to them. */
export class WorkspaceFiles implements HeartbeatFiles {
  readonly #parts: WorkspaceFilesParts

  constructor(parts: WorkspaceFilesParts) {
    this.#parts = parts
  }

  read(path: string): string | undefined {
    try {
      return this.#parts.workspace.read(path).text
    } catch (error) {
      if (error instanceof JarvisError && error.code === 'not_found') return undefined
      throw error
    }
  }

  writerOf(path: string, text: string): string {
    return this.#parts.writers.of(path, hashOfText(text)) ?? unknownWriter
  }

  /** Appends the text below a heading of its own, so that it counts as other people's words wherever memory recalls it. */
  add(path: string, text: string): void {
    const { workspace, redact } = this.#parts
    const before = workspace.tail(path, 64) === undefined ? '' : ownHeading
    workspace.append(path, dailyAddition(before, redact(text), 'jarvis'))
  }
}
