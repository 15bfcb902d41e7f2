import edu.hm.hafner.analysis.FileReaderFactory;
import edu.hm.hafner.analysis.registry.ParserRegistry;
import java.nio.file.Path;

/** Prints how many issues the parser of that id finds in a file. */
public class Count {
  public static void main(String[] args) throws Exception {
    var parser = new ParserRegistry().get(args[0]).createParser();
    System.out.println(parser.parse(new FileReaderFactory(Path.of(args[1]))).size());
  }
}
