import type { ClusterState } from '../protocol/index.ts'

/** What a verdict may depend on besides the call itself. */
export type World = {
  cluster: Pick<ClusterState, 'nodes' | 'guests'>
  /** `node/NAME`, `vm/ID`, `ct/ID`, `service/NAME`: nothing may change them. */
  protectedTargets: ReadonlySet<string>
}
