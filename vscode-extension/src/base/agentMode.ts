/** Which way an agent gets Helix's tools in this editor. Pure: exactly one way, so that no tool is there twice. */

export const agentToolSettings = ['auto', 'tools', 'mcp', 'off'] as const;
export type AgentToolSetting = (typeof agentToolSettings)[number];
export type AgentMode = 'tools' | 'mcp' | 'off';

export interface EditorSupport {
  readonly tools: boolean;
  readonly mcpServers: boolean;
}

/** `auto` prefers the editor's own tools: they need no server to be started. A way the editor lacks is off. */
export function agentMode(setting: AgentToolSetting, support: EditorSupport, trusted: boolean): AgentMode {
  if (!trusted || setting === 'off') {
    return 'off';
  }
  if (setting === 'auto') {
    return support.tools ? 'tools' : support.mcpServers ? 'mcp' : 'off';
  }
  return support[setting === 'mcp' ? 'mcpServers' : 'tools'] ? setting : 'off';
}
