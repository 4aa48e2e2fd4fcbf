// The language of .mtf files. Every decision needs one token of lookahead, so that the generated
// parser is a set of plain switches; what one token cannot tell apart is told apart by the builder
// of the syntax tree (src/frontend/syntax), which can also give better errors.
grammar Mtf;

file       : statement* EOF ;
oneExpr    : expr EOF ;

statement
  : useStmt | dimStmt | constStmt | dataStmt | inputStmt | paramStmt | stateStmt | updateStmt
  | instanceStmt | blockStmt | returnStmt | repeatStmt | recomputeStmt | ifStmt | lossStmt
  | metricStmt | generateStmt | trainStmt | nameStmt
  ;

useStmt       : 'use' STRING ;
dimStmt       : 'dim' sized (',' sized)* ;
constStmt     : 'const' sized (',' sized)* ;
dataStmt      : 'data' name '=' expr ;
inputStmt     : 'input' name shape dtype? 'from' expr ;
paramStmt     : 'param' name (',' name)* shape dtype? ('~' | '=') expr ;
stateStmt     : 'state' name shape? dtype? ('~' | '=') expr ;
updateStmt    : 'update' name '=' expr ;
instanceStmt  : 'instance' name '=' name '@' anyName ;
blockStmt     : 'block' name '(' formals ')' body ;
returnStmt    : 'return' expr (',' expr)* ;
repeatStmt    : 'repeat' ('@' anyName)? expr (IN expr)? body ;      // before `in`: a bare name
recomputeStmt : 'recompute' body ;
ifStmt        : 'if' expr body (elseTail)* ;                        // only the last may lack its `if`
elseTail      : 'else' ('if' expr)? body ;
lossStmt      : 'loss' expr ('=' expr)? ;                           // before `=`: a bare name
metricStmt    : 'metric' name '=' expr ;
generateStmt  : 'generate' name 'from' name 'over' name settings? ;
trainStmt     : 'train' settings ;
nameStmt      : name (scanTail | assignTail) ;
scanTail      : name 'over' name body ;                             // after the word `scan`
assignTail    : shape? dtype? (',' target)* ('=' | '~') expr ;

body     : '{' statement* '}' ;
sized    : name '=' expr ;
target   : name shape? dtype? ;
dtype    : ':' name ;
shape    : '[' dimList? ']' ;
dimList  : dimItem (',' dimItem)* ;
dimItem  : '...' | name ('(' name ')' ('-' name)*)? ;               // before `(`: the word `dims`

formals  : (formal (',' formal)*)? over? to? ;
formal   : 'dim' name ('=' expr)? | name shape? dtype? ('=' expr)? ;
over     : 'over' dimList ;
to       : '->' dimList ;

settings : '{' setting* '}' ;
setting  : key ('=' expr | STRING (',' STRING)* settings) ','? ;    // before STRING: `params`

// Expressions are kept flat, whatever their length: prefix operators, operand, operator, prefix
// operators, operand ... `if c then a else` is a prefix operator like `-`. Binding strength, from
// tight to loose: `^` (to the right), `-`, `* / // %`, `+ -`, comparisons (they do not chain),
// `not`, `and`, `or`, `if then else`.
expr     : operand (binary operand)* ;
operand  : prefix* primary trailer* ;
prefix   : '-' | 'not' | 'if' expr 'then' expr 'else' ;
binary   : '^' | '*' | '/' | '//' | '%' | '+' | '-' | '==' | '!=' | '<' | '<=' | '>' | '>='
         | 'and' | 'or' ;
primary  : name | NUMBER | STRING | 'true' | 'false' | '(' expr ')' ;
trailer  : '.' anyName | ('@' anyName)? '(' args ')' | '[' viewItem (',' viewItem)* ']' ;
args     : (arg (',' arg)*)? over? to? ;
arg      : expr ('=' expr)? | reserved '=' expr ;                   // before `=`: a bare name
viewItem : '(' name (',' name)+ ')' '->' group
         | name ('->' group | '=' expr ('else' expr | ':' expr '->' name)?) ;
group    : name | '(' name (',' name)+ ')' ;

// Reserved words are names after `.` and `@` and before `=` in arguments and settings. A setting
// called `and` or `or` would continue the expression of the setting before it.
name     : NAME | IN ;
anyName  : key | 'and' | 'or' ;
key      : name | keyword | 'not' | 'if' | 'true' | 'false' ;
reserved : keyword | 'not' | 'if' | 'and' | 'or' ;                  // `true` begins an expression
keyword  : 'use' | 'dim' | 'const' | 'data' | 'input' | 'param' | 'state' | 'update' | 'instance'
         | 'block' | 'return' | 'repeat' | 'recompute' | 'then' | 'else' | 'loss' | 'metric'
         | 'generate' | 'train' | 'from' | 'over' ;

USE : 'use' ; DIM : 'dim' ; CONST : 'const' ; DATA : 'data' ; INPUT : 'input' ; PARAM : 'param' ;
STATE : 'state' ; UPDATE : 'update' ; INSTANCE : 'instance' ; BLOCK : 'block' ; RETURN : 'return' ;
REPEAT : 'repeat' ; RECOMPUTE : 'recompute' ; IF : 'if' ; THEN : 'then' ; ELSE : 'else' ;
LOSS : 'loss' ; METRIC : 'metric' ; GENERATE : 'generate' ; TRAIN : 'train' ; FROM : 'from' ;
OVER : 'over' ; AND : 'and' ; OR : 'or' ; NOT : 'not' ; TRUE : 'true' ; FALSE : 'false' ; IN : 'in' ;

COMMA : ',' ; EQUALS : '=' ; TILDE : '~' ; AT : '@' ; COLON : ':' ; DOT : '.' ; DOTS : '...' ;
ARROW : '->' ; LPAREN : '(' ; RPAREN : ')' ; LBRACKET : '[' ; RBRACKET : ']' ; LBRACE : '{' ;
RBRACE : '}' ; POWER : '^' ; MINUS : '-' ; PLUS : '+' ; TIMES : '*' ; DIVIDE : '/' ;
FLOORDIV : '//' ; MODULO : '%' ; EQ : '==' ; NE : '!=' ; LT : '<' ; LE : '<=' ; GT : '>' ; GE : '>=' ;

NUMBER  : DIGIT+ ('.' DIGIT+)? ([eE] [+-]? DIGIT+)? ;
NAME    : [A-Za-z_] [A-Za-z_0-9]* '\''* ;
STRING  : '"' (~["\\\r\n] | '\\' ~[\r\n])* '"' ;
COMMENT : '#' ~[\r\n]* -> skip ;
WS      : [ \t\r\n]+ -> skip ;
UNKNOWN : . ;                                      // for the parser to complain about
fragment DIGIT : [0-9] ;
