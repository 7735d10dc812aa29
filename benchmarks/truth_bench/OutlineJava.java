import com.sun.source.tree.BlockTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * What is defined where in a file of Java, as javac reads it.
 *
 * <p>A request is the length of a text in bytes, as four bytes, and the text in UTF-8. Its answer is a line for each
 * definition, {@code first last kind.kind name.name}, and an empty line; {@code broken} for a text with syntax errors.
 * Names are outermost first; {@code ?} stands for a class without one. Lines are 1-based and inclusive.
 */
final class OutlineJava {
    public static void main(String[] arguments) throws IOException {
        DataInputStream requests = new DataInputStream(System.in);
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (byte[] text = next(requests); text != null; text = next(requests)) {
            answers.print(outlined(new String(text, StandardCharsets.UTF_8)) + "\n");
            answers.flush();
        }
    }

    private static byte[] next(DataInputStream requests) throws IOException {
        byte[] size = requests.readNBytes(4);
        if (size.length < 4) {
            return null;
        }
        int length = (size[0] & 255) << 24 | (size[1] & 255) << 16 | (size[2] & 255) << 8 | size[3] & 255;
        return requests.readNBytes(length);
    }

    private static String outlined(String text) throws IOException {
        DiagnosticCollector<JavaFileObject> problems = new DiagnosticCollector<>();
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        JavaFileObject file = new SimpleJavaFileObject(URI.create("string:///A.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoresErrors) {
                return text;
            }
        };
        JavacTask task = (JavacTask) compiler.getTask(null, null, problems, List.of("-proc:none"), null, List.of(file));
        StringBuilder found = new StringBuilder();
        for (CompilationUnitTree unit : task.parse()) {
            new Outliner(unit, Trees.instance(task).getSourcePositions(), text, found).scan(unit, null);
        }
        boolean isBroken = problems.getDiagnostics().stream().anyMatch(one -> one.getKind() == Diagnostic.Kind.ERROR);
        return isBroken ? "broken\n" : found.toString();
    }

    private static final class Outliner extends TreeScanner<Void, Void> {
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final String text;
        private final StringBuilder found;
        private final List<String> names = new ArrayList<>();
        private final List<String> kinds = new ArrayList<>();
        private String owner = "";

        Outliner(CompilationUnitTree unit, SourcePositions positions, String text, StringBuilder found) {
            this.unit = unit;
            this.positions = positions;
            this.text = text;
            this.found = found;
        }

        @Override
        public Void visitClass(ClassTree node, Void nothing) {
            String name = node.getSimpleName().toString();
            String outer = owner;
            owner = name;
            within(node, name.isEmpty() ? "?" : name, name.isEmpty() ? "unnamed" : "class", () -> super.visitClass(node, null));
            owner = outer;
            return null;
        }

        @Override
        public Void visitMethod(MethodTree node, Void nothing) {
            // One that javac makes has no text.
            if (positions.getStartPosition(unit, node) < 0 || positions.getEndPosition(unit, node) < 0) {
                return null;
            }
            String written = node.getName().toString();
            String name = written.equals("<init>") ? owner : written;
            return within(node, name, "function", () -> super.visitMethod(node, null));
        }

        @Override
        public Void visitVariable(VariableTree node, Void nothing) {
            if (kinds.isEmpty() || !kinds.get(kinds.size() - 1).matches("class|unnamed")) {
                return super.visitVariable(node, null);
            }
            return within(node, node.getName().toString(), "value", () -> super.visitVariable(node, null));
        }

        private Void within(Tree node, String name, String kind, Runnable inside) {
            names.add(name);
            kinds.add(kind);
            long start = positions.getStartPosition(unit, node);
            long end = positions.getEndPosition(unit, node);
            if (start >= 0 && end >= start && !name.equals("?")) {
                found.append(line(start)).append(' ').append(line(Math.max(start, end - 1))).append(' ').append(String.join(".", kinds));
                found.append(' ').append(String.join(".", names)).append('\n');
            }
            inside.run();
            names.remove(names.size() - 1);
            kinds.remove(kinds.size() - 1);
            return null;
        }

        private long line(long offset) {
            return unit.getLineMap().getLineNumber(offset);
        }
    }
}
