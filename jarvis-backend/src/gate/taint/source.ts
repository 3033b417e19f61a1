/** The texts of the conversation as they are when a call is made. */
export type Sources = {
  /** Results of tools, in the order in which they came. */
  results: readonly Source[]
  /** All texts that the operator wrote; empty if an MCP client calls. */
  operatorTexts: readonly string[]
  /** True if pictures were read. Only the model can read words in them. */
  hasPictures?: boolean
  /**
   * Set if JARVIS's own model asks: the texts of its prompt that no stranger wrote, such as the operator's notes. They do not taint a change. But
   * the model has read them, so an address or a search could carry them out.
   */
  prompt?: readonly Source[]
}
/** A text that the operator did not write. */
export type Source = {
  toolName: string
  toolUseId: string
  text: string
  /** JARVIS composed the text. Other people's words occur in it only as names. */
  isComposed?: boolean
  /** JARVIS composed the text, and names in it no tool that makes changes. */
  namesNoChange?: boolean
  /** The result gave addresses. They may be read exactly as they were given. */
  givesAddresses?: boolean
  /** The arguments of the call that returned this result. */
  asked?: Record<string, unknown>
  /** JARVIS itself wrote the text, such as the outcome of a call. */
  isOwnNote?: boolean
  /** The text is a file that the operator attached. */
  isFile?: boolean
  /** The text is an attached server's description of a tool, which is part of each prompt. */
  isDescription?: boolean
  /** Returns the names and ids of the cluster's objects that JARVIS listed in the text. */
  listed?: () => ReadonlySet<string>
  /**
   * Set for a web page. `url`: the address from which it was read after redirections, which its site chose. `isMixed`: the page may contain texts of
   * other sites.
   */
  page?: { url: string; isMixed: boolean }
  /**
   * Set for a result of the memory: returns the operator's texts and JARVIS's own calls in the conversations that the result repeats. These words do
   * not taint a call if they come from this result; in other results they do. Called only if the result is about to taint a call.
   */
  said?: () => Iterable<string>
  /** Same as `said`, for a tool's result. Used only if the tool repeats earlier conversations. */
  saidIfRecalled?: () => Iterable<string>
}

/** Facts of a call other than its arguments. */
export type About = {
  /**
   * Returns true if a word in lower case is part of JARVIS's own vocabulary, such as the descriptions of its tools, and is not the name of one of
   * the call's targets.
   */
  isCommon?(word: string): boolean
  /** Returns true if the schema of the call's tool lists the word. */
  isChoice?(word: string): boolean
  /** True if the call sends its words to a site. Then even a choice from a list gives information away. */
  isLeaving?: boolean
  /** True if the call acts on a service. JARVIS composes no list of services from which the model could choose. */
  hasService?: boolean
  /** Arguments that are ids of things that JARVIS made. A tool result must not decide which of them is used. */
  refers?: readonly string[]
}
