// What generated parsers and ours use of the ANTLR runtime, under the name that generated headers
// include. Its own header of this name names everything, and one of its parts (the reader of grammars
// at run time) is refused by clang.
#pragma once
#include <ANTLRErrorStrategy.h>
#include <BailErrorStrategy.h>
#include <BaseErrorListener.h>
#include <CharStream.h>
#include <CommonToken.h>
#include <CommonTokenStream.h>
#include <DefaultErrorStrategy.h>
#include <Exceptions.h>
#include <FailedPredicateException.h>
#include <InputMismatchException.h>
#include <Lexer.h>
#include <NoViableAltException.h>
#include <Parser.h>
#include <ParserRuleContext.h>
#include <Token.h>
#include <Vocabulary.h>
#include <atn/ATN.h>
#include <atn/ATNDeserializer.h>
#include <atn/LexerATNSimulator.h>
#include <atn/ParserATNSimulator.h>
#include <atn/PredictionContext.h>
#include <dfa/DFA.h>
#include <misc/Interval.h>
#include <misc/IntervalSet.h>
#include <tree/ErrorNode.h>
#include <tree/TerminalNode.h>
