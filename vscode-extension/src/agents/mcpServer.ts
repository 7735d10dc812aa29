/** Offers `helix mcp` to the editor as an MCP server on stdio; none while the tools come another way. */
import * as vscode from 'vscode';
import { safePath, type Launch } from '../server/launch';

export class McpServers implements vscode.McpServerDefinitionProvider<vscode.McpStdioServerDefinition> {
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onDidChangeMcpServerDefinitions = this.changes.event;
  private offered: { readonly launch: Launch; readonly version: string } | undefined;

  /** What is offered from now on; the version tells the editor when the tools may have changed. */
  offer(launch: Launch | undefined, version: string): void {
    const before = this.offered;
    this.offered = launch && { launch, version };
    if (key(before) !== key(this.offered)) {
      this.changes.fire();
    }
  }

  provideMcpServerDefinitions(): vscode.McpStdioServerDefinition[] {
    if (!this.offered) {
      return [];
    }
    const { launch, version } = this.offered;
    const { command, args, cwd } = launch;
    const server = new vscode.McpStdioServerDefinition('Helix', command, [...args], { ...safePath }, version);
    server.cwd = vscode.Uri.file(cwd);
    return [server];
  }

  dispose(): void {
    this.changes.dispose();
  }
}

function key(offered: { readonly launch: Launch; readonly version: string } | undefined): string {
  return offered ? JSON.stringify([offered.launch.command, offered.launch.args, offered.version]) : '';
}
