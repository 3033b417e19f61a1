/** The texts of the conversation at the time of a call. */
export type Sources = {
  /** In the order they came. */
  results: readonly Source[]
  /** All texts that the operator wrote; empty if an MCP client calls. */
  operatorTexts: readonly string[]
  /** Pictures were read. Only the model can look for words in them. */
  hasPictures?: boolean
  /**
   * If JARVIS's own model asks: the texts of its prompt that no stranger wrote, such as the operator's notes. They taint no change. But the model
   * has read them, so an address or a search can carry them out.
   */
  prompt?: readonly Source[]
}
/** A text that did not come from the operator. */
export type Source = {
  toolName: string
  toolUseId: string
  text: string
  /** JARVIS composed it: the words of others stand in it only as names. */
  isComposed?: boolean
  /** JARVIS composed it, and names no tool in it that changes something. */
  namesNoChange?: boolean
  /** It gave addresses, which may be read exactly so. */
  givesAddresses?: boolean
  /** The arguments of the call that the result answers. */
  asked?: Record<string, unknown>
  /** JARVIS wrote it down by itself, such as the outcome of a call. */
  isOwnNote?: boolean
  /** A file that the operator attached. */
  isFile?: boolean
  /** An attached server's description of a tool. It stands in each prompt. */
  isDescription?: boolean
  /** The names and ids of the things of the cluster that JARVIS listed in it. */
  listed?: () => ReadonlySet<string>
  /** For a page: the address at which it was read, which its site chose. `isMixed`: texts of other sites may stand in it. */
  page?: { url: string; isMixed: boolean }
  /**
   * For a result of the memory: returns the operator's texts and JARVIS's own calls in the conversations that it repeats. They
   * do not taint if this result repeats them, and do taint elsewhere. Called only when the result is about to taint a call.
   */
  said?: () => Iterable<string>
  /** As `said`, for a tool's result. It counts only if the tool repeats earlier conversations. */
  saidIfRecalled?: () => Iterable<string>
}

/** Facts of a call besides its arguments. */
export type About = {
  /** Returns whether a word in lower case is one of JARVIS's own, as in the descriptions of its tools, and not a name of the call's targets. */
  isCommon?(word: string): boolean
  /** Returns whether its tool's schema lists the word. */
  isChoice?(word: string): boolean
  /** The call gives its words to a site, so a choice from a list tells the site something too. */
  isLeaving?: boolean
  /** The call acts on a service. JARVIS keeps no list of services. */
  hasService?: boolean
  /** Arguments that are ids of things that JARVIS made. A result must not choose among them. */
  refers?: readonly string[]
}
